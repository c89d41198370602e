import '../../../../../scripts/testing/all-cases';
import './multipart-splitter.test';
