import '../../support/all-cases';
import './hostile-bodies.test';
