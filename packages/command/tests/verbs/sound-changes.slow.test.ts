import '../../../../scripts/testing/all-cases';
import './sound-changes.test';
