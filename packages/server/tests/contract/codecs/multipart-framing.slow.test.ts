import '../../../../../scripts/testing/all-cases';
import './multipart-framing.test';
