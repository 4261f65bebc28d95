-- Who wrote a review is in the evidence of a report alone, which goes in time: no entry of the audit log, and no report whose
-- evidence is gone, names its author. What was noted about them cannot go with their account then, and goes now.
UPDATE reports SET subject_id = NULL, details = NULL, note = NULL WHERE target = 'review' AND evidence IS NULL;
UPDATE notices SET report_id = NULL
WHERE report_id IN (SELECT id FROM reports WHERE target = 'review' AND evidence IS NULL);
UPDATE audit_log SET subject_id = NULL
WHERE action = 'report_resolved'
  AND metadata::json ->> 'report_id' IN (SELECT id FROM reports WHERE target = 'review');
