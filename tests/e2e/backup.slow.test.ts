import '../../scripts/testing/all-cases';
import './backup.test';
