import '../../scripts/testing/all-cases';
import './sqlite-log.test';
