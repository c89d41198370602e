import '../../../../scripts/testing/all-cases';
import './documents.test';
