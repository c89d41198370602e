import '../../support/all-cases';
import './widenings.test';
