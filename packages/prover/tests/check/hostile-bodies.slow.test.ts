import '../../../../scripts/testing/all-cases';
import './hostile-bodies.test';
