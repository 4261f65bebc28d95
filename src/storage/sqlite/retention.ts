import type { RetentionStore } from '../../features/retention/store.ts'
import type { Db } from './database.ts'
import { traitKeeper } from './traits.ts'
import type { Writer } from './writer.ts'

export function retentionStore(db: Db, writer: Writer): RetentionStore {
  const client = db.$client
  const retrait = traitKeeper(db)

  // One for each of two partial indexes: a single condition over both would read the whole table.
  const endedSessions = client.prepare<null, [number, number]>(
    'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ended_at < ? AND ended_at IS NOT NULL LIMIT ?)',
  )
  const unusedSessions = client.prepare<null, [number, number]>(
    'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at < ? AND ended_at IS NULL LIMIT ?)',
  )
  const consentOrigins = client.prepare<null, [number, number]>(`
    UPDATE consent_log SET user_agent = NULL, address = NULL WHERE id IN (
      SELECT id FROM consent_log WHERE recorded_at < ? AND (user_agent IS NOT NULL OR address IS NOT NULL) LIMIT ?)`)
  const settledReports = client.prepare<{ id: string }, [number, number]>(`
    SELECT id FROM reports WHERE resolved_at < ? AND status = 'resolved' AND evidence IS NOT NULL LIMIT ?`)
  const isErased = 'EXISTS (SELECT 1 FROM users WHERE users.id = subject_id AND deleted_at IS NOT NULL)'
  const dropEvidence = client.prepare<null, [string]>(`
    UPDATE reports SET evidence = NULL,
      -- Only the evidence may say who wrote a review; what is noted of them could not go with their account any more.
      subject_id = CASE WHEN target <> 'review' THEN subject_id END,
      details = CASE WHEN target <> 'review' AND reporter_id IS NOT NULL AND NOT ${isErased} THEN details END,
      note = CASE WHEN target <> 'review' AND NOT ${isErased} THEN note END
    WHERE id IN (SELECT value FROM json_each(?))`)
  // Where a report of a review was, nothing tells its reader any more that an appeal is none of their business: who wrote the
  // review would be named by its author, and in the audit log.
  const dropAppeals = client.prepare<{ id: string; user_id: string }, [string]>(`
    DELETE FROM appeals WHERE notice_id IN (
      SELECT notices.id FROM notices JOIN reports ON reports.id = notices.report_id
      WHERE reports.target = 'review' AND reports.id IN (SELECT value FROM json_each(?)))
    RETURNING id, user_id`)
  const forgetAppeal = client.prepare<null, [{ id: string; user_id: string }]>(`
    UPDATE audit_log SET actor_id = CASE WHEN action <> 'appeal' THEN actor_id END,
      subject_id = CASE WHEN action = 'appeal' THEN subject_id END
    WHERE subject_id = $id AND action = 'appeal'
      OR subject_id = $user_id AND action = 'appeal_resolved' AND metadata ->> '$.appeal_id' = $id`)
  const partFromNotices = client.prepare<null, [string]>(`
    UPDATE notices SET report_id = NULL
    WHERE report_id IN (SELECT id FROM reports WHERE target = 'review' AND id IN (SELECT value FROM json_each(?)))`)
  const dropEvidencePhotos = client.prepare<null, [string]>(
    'DELETE FROM evidence_photos WHERE report_id IN (SELECT value FROM json_each(?))',
  )
  const messageVersions = client.prepare<null, [number, number]>(`
    DELETE FROM message_versions WHERE (message_id, at) IN (
      SELECT message_id, at FROM message_versions WHERE at < ? LIMIT ?)`)
  const oldPositions = client.prepare<{ user_id: string }, [number, number]>(
    'SELECT user_id FROM locations WHERE updated_at < ? AND updated_at IS NOT NULL LIMIT ?',
  )
  const dropPosition = client.prepare<null, [string]>(`
    UPDATE locations SET latitude = NULL, longitude = NULL, square = NULL, cell = NULL, strayed = 0, updated_at = NULL
    WHERE user_id = ?`)
  const dropCells = client.prepare<null, [string]>('DELETE FROM location_cells WHERE user_id = ?')
  const auditEntries = client.prepare<null, [number, number]>(
    'DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at, id LIMIT ?)',
  )

  return {
    sessions: (before, limit) =>
      writer.write(() => {
        const ended = endedSessions.run(before.ended, limit).changes
        return ended + unusedSessions.run(before.lastUsed, limit - ended).changes
      }),

    consentOrigins: (before, limit) => writer.write(() => consentOrigins.run(before, limit).changes),

    evidence: (before, limit) =>
      writer.write(() => {
        const ids = settledReports.all(before, limit).map(({ id }) => id)
        dropEvidence.run(JSON.stringify(ids))
        dropEvidencePhotos.run(JSON.stringify(ids))
        for (const appeal of dropAppeals.all(JSON.stringify(ids))) forgetAppeal.run(appeal)
        partFromNotices.run(JSON.stringify(ids))
        return ids.length
      }),

    messageVersions: (before, limit) => writer.write(() => messageVersions.run(before, limit).changes),

    positions: (before, limit) =>
      writer.write(() => {
        const stale = oldPositions.all(before, limit)
        for (const { user_id } of stale) {
          retrait(user_id, () => dropPosition.run(user_id))
          dropCells.run(user_id)
        }
        return stale.length
      }),

    auditEntries: (before, limit) => writer.write(() => auditEntries.run(before, limit).changes),
  }
}
