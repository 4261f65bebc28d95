import type { RetentionStore } from '../../features/retention/store.ts'
import type { Database } from './database.ts'
import type { Value } from './queries.ts'
import { holdLiving, lockLiving } from './living.ts'
import { retrait } from './traits.ts'

// Each is found first, page by page, and then removed by its key if it still is what was looked for: several nodes may do
// this at once, and no statement of theirs changes more than a page.

type Settled = { id: string; reporter_id: string | null; subject_id: string | null }

export function retentionStore(db: Database): RetentionStore {
  /** Changes up to `limit` rows of a condition on `$1`; `change` gets their keys as arrays from `$2` on. */
  async function inOneBatch(find: string, before: number, limit: number, change: string): Promise<number> {
    if (limit <= 0) return 0
    return db.write(async (tx) => {
      const rows = await tx.all<Record<string, string | number>>(`${find} LIMIT $2`, [before, limit])
      if (rows.length === 0) return 0
      const keys = Object.keys(rows[0]!).map((name) => rows.map((row) => row[name]!) as string[] | number[])
      return tx.run(change, [before, ...keys])
    })
  }

  const endedSessions = 'ended_at < $1 AND ended_at IS NOT NULL'
  const unusedSessions = 'last_used_at < $1 AND ended_at IS NULL'
  const sessions = (condition: string, before: number, limit: number) =>
    inOneBatch(
      `SELECT user_id, id FROM sessions WHERE ${condition}`,
      before,
      limit,
      `DELETE FROM sessions WHERE (user_id, id) IN (SELECT * FROM unnest($2::text[], $3::text[])) AND ${condition}`,
    )

  const withOrigin = 'recorded_at < $1 AND (user_agent IS NOT NULL OR address IS NOT NULL)'

  return {
    // One for each of two partial indexes.
    sessions: async (before, limit) => {
      const ended = await sessions(endedSessions, before.ended, limit)
      return ended + (await sessions(unusedSessions, before.lastUsed, limit - ended))
    },

    consentOrigins: (before, limit) =>
      inOneBatch(
        `SELECT user_id, seq FROM consent_log WHERE ${withOrigin}`,
        before,
        limit,
        `UPDATE consent_log SET user_agent = NULL, address = NULL
         WHERE (user_id, seq) IN (SELECT * FROM unnest($2::text[], $3::bigint[])) AND ${withOrigin}`,
      ),

    evidence: (before, limit) =>
      db.write(async (tx) => {
        const settled = await tx.all<Settled>(
          `SELECT id, reporter_id, subject_id FROM reports
           WHERE resolved_at < $1 AND status = 'resolved' AND evidence IS NOT NULL ORDER BY resolved_at LIMIT $2`,
          [before, limit],
        )
        if (settled.length === 0) return 0
        const living = await holdLiving(
          tx,
          settled.flatMap(({ reporter_id, subject_id }) => [reporter_id, subject_id]),
        )
        const isErased = (userId: string | null) => userId !== null && !living.has(userId)
        const noted = settled.filter(({ subject_id }) => !isErased(subject_id))
        const detailed = noted.filter(({ reporter_id }) => reporter_id !== null && living.has(reporter_id))
        const idsOf = (reports: readonly Settled[]) => reports.map(({ id }) => id)
        const values: Value[] = [idsOf(settled), idsOf(detailed), idsOf(noted)]
        // Where a report of a review was, nothing tells its reader any more that an appeal is none of their business: who wrote
        // the review would be named by its author, and in the audit log.
        const appeals = await tx.all<{ id: string; user_id: string }>(
          `DELETE FROM appeals USING notices, reports
           WHERE appeals.user_id = notices.user_id AND appeals.notice_id = notices.id AND notices.report_id = reports.id
             AND reports.target = 'review' AND reports.id = ANY($1::text[])
           RETURNING appeals.id, appeals.user_id`,
          [idsOf(settled)],
        )
        for (const { id, user_id } of appeals)
          await tx.run(
            `UPDATE audit_log SET actor_id = CASE WHEN action <> 'appeal' THEN actor_id END,
               subject_id = CASE WHEN action = 'appeal' THEN subject_id END
             WHERE subject_id = $1 AND action = 'appeal'
               OR subject_id = $2 AND action = 'appeal_resolved' AND metadata::json ->> 'appeal_id' = $1`,
            [id, user_id],
          )
        const [dropped] = await Promise.all([
          tx.run(
            // Only the evidence may say who wrote a review; what is noted of them could not go with their account any more.
            `UPDATE reports SET evidence = NULL,
               subject_id = CASE WHEN target <> 'review' THEN subject_id END,
               details = CASE WHEN target <> 'review' AND id = ANY($2::text[]) THEN details END,
               note = CASE WHEN target <> 'review' AND id = ANY($3::text[]) THEN note END
             WHERE id = ANY($1::text[]) AND evidence IS NOT NULL`,
            values,
          ),
          tx.run('DELETE FROM evidence_photos WHERE report_id = ANY($1::text[])', [idsOf(settled)]),
          tx.run(
            `UPDATE notices SET report_id = NULL
             WHERE report_id IN (SELECT id FROM reports WHERE target = 'review' AND id = ANY($1::text[]))`,
            [idsOf(settled)],
          ),
        ])
        return dropped
      }),

    messageVersions: (before, limit) =>
      inOneBatch(
        'SELECT chat_id, message_id, at FROM message_versions WHERE at < $1',
        before,
        limit,
        `DELETE FROM message_versions
         WHERE (chat_id, message_id, at) IN (SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[])) AND at < $1`,
      ),

    positions: (before, limit) =>
      db.write(async (tx) => {
        const stale = await tx.all<{ user_id: string }>(
          'SELECT user_id FROM locations WHERE updated_at < $1 AND updated_at IS NOT NULL LIMIT $2',
          [before, limit],
        )
        const inOrder = stale.map(({ user_id }) => user_id).sort()
        await Promise.all(inOrder.map((id) => lockLiving(tx, id)))
        const dropped = await tx.all<{ user_id: string }>(
          // Not of those who came back meanwhile.
          `UPDATE locations SET latitude = NULL, longitude = NULL, square = NULL, cell = NULL, strayed = false,
             updated_at = NULL
           WHERE user_id = ANY($1::text[]) AND updated_at < $2 RETURNING user_id`,
          [inOrder, before],
        )
        const ids = dropped.map(({ user_id }) => user_id)
        await Promise.all([
          tx.run('DELETE FROM location_cells WHERE user_id = ANY($1::text[])', [ids]),
          ...ids.map((id) => retrait(tx, id)),
        ])
        return ids.length
      }),

    auditEntries: (before, limit) =>
      inOneBatch(
        'SELECT id FROM audit_log WHERE at < $1 ORDER BY at, id',
        before,
        limit,
        'DELETE FROM audit_log WHERE id = ANY($2::text[]) AND at < $1',
      ),
  }
}
