import '../../../../scripts/testing/all-cases';
import './growth.test';
