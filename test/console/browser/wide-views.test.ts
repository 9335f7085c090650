import { WIDE } from '../../support/console/console.js';
import { testViews } from '../../support/console/look.js';
import { LONG } from '../../support/scale.js';

testViews('wide', WIDE, 'light');
if (LONG) testViews('wide', WIDE, 'dark');
