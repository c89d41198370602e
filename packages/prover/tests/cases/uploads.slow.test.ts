import '../../../../scripts/testing/all-cases';
import './uploads.test';
