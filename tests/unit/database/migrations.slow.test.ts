import '../../support/all-cases';
import './migrations.test';
