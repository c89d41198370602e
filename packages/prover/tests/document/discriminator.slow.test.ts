import '../../../../scripts/testing/all-cases';
import './discriminator.test';
