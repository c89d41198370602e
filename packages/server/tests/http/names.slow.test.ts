import '../../../../scripts/testing/all-cases';
import './names.test';
