import '../../../../scripts/testing/all-cases';
import './hostile-texts.test';
