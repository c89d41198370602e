import '../../../../scripts/testing/all-cases';
import './refusals.test';
