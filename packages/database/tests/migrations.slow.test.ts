import '../../../scripts/testing/all-cases';
import './migrations.test';
