-- What was removed is gone, and no release before needs it.
SELECT 1;
