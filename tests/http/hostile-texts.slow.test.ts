import '../support/all-cases';
import './hostile-texts.test';
