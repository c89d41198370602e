import '../../support/all-cases';
import './sqlite-log.test';
