import '../../../../scripts/testing/all-cases';
import './client.test';
