import '../../support/all-cases';
import './discriminator.test';
