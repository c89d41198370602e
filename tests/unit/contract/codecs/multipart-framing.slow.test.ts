import '../../../support/all-cases';
import './multipart-framing.test';
