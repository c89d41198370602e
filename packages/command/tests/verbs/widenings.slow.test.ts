import '../../../../scripts/testing/all-cases';
import './widenings.test';
