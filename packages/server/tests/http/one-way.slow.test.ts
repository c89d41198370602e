import '../../../../scripts/testing/all-cases';
import './one-way.test';
