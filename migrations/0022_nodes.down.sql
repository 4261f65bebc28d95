-- There is nothing to take back: see the step up.
SELECT 1;
