// Made by `bun run client:types` from the server's OpenAPI document and the frames of its WebSocket. Do not edit.

/* eslint-disable */
export interface paths {
    "/api/v1/admin/announcements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Announcements, newest first
         * @description Includes expired ones. For admins.
         */
        get: operations["getAdminAnnouncements"];
        put?: never;
        /**
         * Announce something to everybody
         * @description Everybody finds it among their notices until `until`, and open sockets get it at once. At most 20 are active: `conflict` beyond. Recorded in the audit log. For admins.
         */
        post: operations["postAdminAnnouncements"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/announcements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an announcement
         * @description It leaves everybody’s notices, and open sockets are told at once. For admins.
         */
        delete: operations["deleteAdminAnnouncementsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Appeals of others, oldest first
         * @description With `from` and `to` (excluded), those of a period, as in the transparency report. For moderators.
         */
        get: operations["getAdminAppeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/appeals/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an appeal
         * @description Upholding it lifts the suspension that it is about, if that is still in force; removed content is not restored. The user gets a notice. For moderators: `forbidden` for others, for an appeal of a moderator or an admin unless you are an admin, and for one against your own decision if somebody else could resolve it. `conflict` if it is resolved already.
         */
        post: operations["postAdminAppealsByIdResolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit log, newest first
         * @description `from` and `to` are included. `format=jsonl` and `csv` return all matching entries as one file, without pages; such an export is itself recorded in the log. For moderators.
         */
        get: operations["getAdminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/image-bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The hashes of banned images, newest first
         * @description The images themselves are not kept. For admins.
         */
        get: operations["getAdminImage-bank"];
        put?: never;
        /**
         * Ban an image by its hash or id
         * @description In force on every node at once, or within two seconds if Redis is away; profiles that show it lose it within minutes. Replaces an earlier entry for the same hash. Recorded in the audit log. `validation_failed` for an image with too little detail to tell it from others; `conflict` beyond 100 000. For admins.
         */
        post: operations["postAdminImage-bank"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/image-bank/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Allow a banned image again
         * @description Removed photos are not restored. For admins.
         */
        delete: operations["deleteAdminImage-bankById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invites, newest first, without codes
         * @description For admins.
         */
        get: operations["getAdminInvites"];
        put?: never;
        /**
         * Create an invite
         * @description Anybody with its code can register while `REGISTRATION` is `invite`. Only this answer shows the code. For admins.
         */
        post: operations["postAdminInvites"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an invite
         * @description Nobody can register with it any longer; accounts created with it stay. For admins.
         */
        delete: operations["deleteAdminInvitesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The queue of reports, most urgent first
         * @description Sorted by `due_at`, or with `sort=created` oldest first and with `sort=newest` newest first. For moderators; reports about yourself and about reviews of you are left out. With `subject_id`, reports about that user or what they wrote, except reviews: only the evidence names the author of one. `from` and `to` (excluded) limit the time of the report, `decided_from` and `decided_to` that of the decision. `outcome=measure` is everything except `dismiss` and `release`. `automated` finds reports with a measure that no person decided; `from` and `to` are the time of the measure then.
         */
        get: operations["getAdminReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One report with its evidence
         * @description For moderators; recorded in the audit log. `forbidden` for others, and for a report about yourself or a review of you.
         */
        get: operations["getAdminReportsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reports/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a report
         * @description For 15 minutes from now; repeat it to extend the claim. `claimed` if somebody else works on it, `conflict` if it is resolved. For moderators: `forbidden` if you may not decide it. Recorded in the audit log.
         */
        post: operations["postAdminReportsByIdClaim"];
        /**
         * Give up a claim
         * @description Does nothing if there is none. `claimed` if it belongs to somebody else. For moderators.
         */
        delete: operations["deleteAdminReportsByIdClaim"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reports/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a report
         * @description `warn`, `remove_content` and `suspend` send the user concerned a notice and its event. `remove_content` leaves a tombstone of a message, removes a review, and clears what the owner wrote into a profile. For moderators: `forbidden` for others, for a report that you filed, for one about yourself or a review of you, for one about a moderator or an admin unless you are an admin, and for suspending an admin. `conflict` if it is resolved already, if it became a report of somebody underage since you opened it, or the account concerned is erased; `claimed` if somebody else works on it. With `undo_s` the decision is in `pending` until it takes effect.
         */
        post: operations["postAdminReportsByIdResolve"];
        /**
         * Take back a decision
         * @description Within the `undo_s` seconds after your own decision; `conflict` later, or if none is pending. For moderators.
         */
        delete: operations["deleteAdminReportsByIdResolve"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reports/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim the most urgent report
         * @description Chooses among the open reports that nobody has claimed, not even you, and that you may decide. The claim lasts 15 minutes, and no two moderators get the same report. 204 if there is none. For moderators; recorded in the audit log.
         */
        post: operations["postAdminReportsNext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rules about what people write
         * @description In the order in which they are applied; without a `limit`, all of them. For admins.
         */
        get: operations["getAdminRules"];
        put?: never;
        /**
         * Add a rule
         * @description In force on every node at once, or within two seconds if Redis is away. Recorded in the audit log. `conflict` if others change the rules at the same time. For admins.
         */
        post: operations["postAdminRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a rule
         * @description Takes effect like a new one. For admins.
         */
        put: operations["putAdminRulesById"];
        post?: never;
        /**
         * Delete a rule
         * @description For admins.
         */
        delete: operations["deleteAdminRulesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try which rules a text matches
         * @description Tries all rules, on or off, of any scope, except those about repeated texts. Stores nothing. For admins.
         */
        post: operations["postAdminRulesTry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rules/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of the rules, newest first
         * @description The newest 50. For admins.
         */
        get: operations["getAdminRulesVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The settings in force
         * @description The settings of the node that answers, by the names of their environment variables; `file` is a settings file or `NAME_FILE`. Secrets are masked, and a generated one is null. For admins.
         */
        get: operations["getAdminSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of each day and of the queue
         * @description For the days in UTC from `from` to before `to`: the last 30 days by default, 92 days at most. `time_to_action` is from report to decision. For moderators.
         */
        get: operations["getAdminStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Texts for statements of reasons, sorted by name and language
         * @description With `language`, only those in that language; without a `limit`, all of them. For moderators.
         */
        get: operations["getAdminTemplates"];
        put?: never;
        /**
         * Add a text for statements of reasons
         * @description `conflict` if there is one with that name in that language, or there are 500. For admins.
         */
        post: operations["postAdminTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change a template
         * @description Decisions that were made with it keep their texts. For admins.
         */
        put: operations["putAdminTemplatesById"];
        post?: never;
        /**
         * Delete a template
         * @description Decisions that were made with it keep their texts. For admins.
         */
        delete: operations["deleteAdminTemplatesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/transparency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was reported, decided and appealed in a period
         * @description From `from` to before `to`: the last year by default, 366 days at most. `format=csv` has the same figures in the categories of the DSA’s templates. It names nobody. For moderators.
         */
        get: operations["getAdminTransparency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find accounts
         * @description By id, or by the beginning of an e-mail address, a phone number or a name. Without `q`, all accounts, newest first. Erased accounts are left out. Recorded in the audit log. For admins.
         */
        get: operations["getAdminUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One account
         * @description Standing, decisions and counts, but not who has reported or blocked the user. Admins also see e-mail, phone, ways to sign in and sessions. Recorded in the audit log. For moderators: `forbidden` for others, for your own account, and for one of a moderator or an admin unless you are an admin.
         */
        get: operations["getAdminUsersById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a user a link for a new password
         * @description To the address of the account, 3 an hour; `conflict` if it has none. If the server sends no mail, `convene admin reset-password` prints a link. For admins.
         */
        post: operations["postAdminUsersByIdPassword-reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the role of a user
         * @description Takes effect with their next request; `user` withdraws a role. `conflict` for withdrawing the role of the last admin. For admins.
         */
        post: operations["postAdminUsersByIdRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions of a user
         * @description Tokens and sockets stop working at once. For admins.
         */
        post: operations["postAdminUsersByIdSessionsEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a user
         * @description Takes effect at once: tokens and sockets stop working, and nearby no longer shows the user. Repeat it to change the reason and the end. For moderators: `forbidden` for others, for suspending yourself, for suspending a moderator unless you are an admin, and for suspending an admin.
         */
        post: operations["postAdminUsersByIdSuspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/unsuspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift a suspension
         * @description Does nothing if there is none. For moderators. `conflict` if somebody else was faster.
         */
        post: operations["postAdminUsersByIdUnsuspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/warn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Warn a user
         * @description Without a report. The user gets a notice and may appeal against it. For moderators: `forbidden` for others, for warning yourself, and for warning a moderator or an admin unless you are an admin. `conflict` if the account has just been erased.
         */
        post: operations["postAdminUsersByIdWarn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s appeals, newest first
         * @description The token of a suspended user is accepted.
         */
        get: operations["getAppeals"];
        put?: never;
        /**
         * Appeal against a decision
         * @description Once for each notice. The token of a suspended user is accepted until it expires; after that, use `POST /api/v1/auth/appeals`. `conflict` if you have appealed already.
         */
        post: operations["postAppeals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Appeal against a suspension without being logged in
         * @description Takes the credentials of a login, but begins no session. `conflict` if the account is not suspended, or you have appealed already.
         */
        post: operations["postAuthAppeals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give or withdraw consents
         * @description `false` records a withdrawal.
         */
        post: operations["postAuthConsents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo the change of an address by a link
         * @description Restores the old address and ends every session. An account that has registered the address since loses it, unless it has verified it: `email_taken`.
         */
        post: operations["postAuthEmailUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address by a link, or change to it
         * @description Verify an address by a link, or change to it
         */
        post: operations["postAuthEmailVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a password
         * @description The answer does not tell a wrong password from an unknown account.
         */
        post: operations["postAuthLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End this session
         * @description End this session
         */
        post: operations["postAuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/messenger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in from a messenger’s mini-app
         * @description The first login creates the account and answers 201.
         */
        post: operations["postAuthMessenger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with an id token
         * @description For apps that get one from the provider themselves. The first login creates the account, needs `consents` and answers 201. An address that is verified both at the provider and here signs in to its account.
         */
        post: operations["postAuthOidcByProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a browser to a provider, to sign in or up
         * @description Sets a cookie and returns the address to open; `GET` of the same path redirects to it. The browser returns to `return_to`, with `#error=<code>` if it was not signed in.
         */
        post: operations["postAuthOidcByProviderStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description The answer does not tell an unknown passkey from one that is not accepted.
         */
        post: operations["postAuthPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkey/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm this session with a passkey
         * @description Get options from `POST /auth/passkey/options`. The passkey must be the caller’s. The confirmation counts for 12 hours if `STAFF_PASSKEY` requires one, and for 10 minutes as a recent login.
         */
        post: operations["postAuthPasskeyConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Options to show a passkey
         * @description For `navigator.credentials.get()`, the same for everybody: the authenticator offers the passkeys that it has. The challenge works once, for 5 minutes, to sign in or to confirm a session.
         */
        post: operations["postAuthPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link to a new password
         * @description Neither the answer nor its timing reveals whether there is such an account.
         */
        post: operations["postAuthPasswordForgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by a link
         * @description Ends every session. The address that the link was sent to counts as verified.
         */
        post: operations["postAuthPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The ways to sign in to this server
         * @description The ways to sign in to this server
         */
        get: operations["getAuthProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new access token
         * @description The refresh token rotates. For 10 s its predecessor still returns the same successor; used later, it ends the session. Without `refresh_token` in the body, the cookie `app_rt` is used, unless `cookies` is false.
         */
        post: operations["postAuthRefresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register
         * @description Give an e-mail address, a phone number or both. `errors` names missing consents.
         */
        post: operations["postAuthRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s blocks, newest first
         * @description The caller’s blocks, newest first
         */
        get: operations["getBlocks"];
        put?: never;
        /**
         * Block a user
         * @description Works both ways and at once: neither finds, opens, writes to or sees the other. Repeating it answers 200 with the same block.
         */
        post: operations["postBlocks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Lift a block
         * @description `not_found` also for a block of somebody else.
         */
        delete: operations["deleteBlocksById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s chats, the latest first
         * @description The caller’s chats, the latest first
         */
        get: operations["getChats"];
        put?: never;
        /**
         * The chat with another user
         * @description 201 if it is new, 200 if the pair has one already. `blocked` if you blocked them, `not_found` if they blocked you. An account may begin 50 chats a day; existing ones are not counted.
         */
        post: operations["postChats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chats/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One chat
         * @description One chat
         */
        get: operations["getChatsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chats/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages of a chat
         * @description Newest first; `cursor` goes back in time. With `after`, the messages after that one, oldest first. Deleted messages stay as tombstones.
         */
        get: operations["getChatsByIdMessages"];
        put?: never;
        /**
         * Send a message
         * @description Text, or a photo uploaded before with an optional caption. `client_id` makes a retry safe: a repeated one answers 200 with the first message, in whichever chat that was. `conflict` if the other user’s account is erased.
         */
        post: operations["postChatsByIdMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chats/{id}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mute a chat
         * @description Until a time or `forever`; null unmutes it. Only its notifications stop.
         */
        put: operations["putChatsByIdMute"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chats/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark the other user’s messages as read
         * @description All of them, or those up to the message `up_to`, which either of you may have written. If nothing was unread, and across a block, `read` is 0 and `read_at` null.
         */
        put: operations["putChatsByIdRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/legal/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Terms, privacy policy or disclaimer
         * @description JSON, or plain Markdown for `Accept: text/markdown`.
         */
        get: operations["getLegalByKind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/legal/child-safety": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Child safety standards, with the contact of the operator
         * @description JSON, or plain Markdown for `Accept: text/markdown`. Contains `LEGAL_CONTACT`.
         */
        get: operations["getLegalChild-safety"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s own account
         * @description The caller’s own account
         */
        get: operations["getMe"];
        /**
         * Change the profile
         * @description Absent fields keep their values; null clears a field, except the name.
         */
        put: operations["putMe"];
        post?: never;
        /**
         * Erase the account
         * @description Confirm it with the `password`, or with fresh `init_data` if the account has a messenger; an account with neither must have logged in within the last 10 minutes (403 `forbidden`). Sessions, profile, preferences, position, photos, blocks and the reviews about you are removed at once and for good. Your messages become tombstones, and your reviews of others lose their author. The other members of your chats get a `chat` event that shows you as deleted (`name` is null); your messages are gone from the chat by then. Evidence of reports is kept until its retention period ends.
         */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The devices that notifications of the caller go to
         * @description The devices that notifications of the caller go to
         */
        get: operations["getMeChannels"];
        put?: never;
        /**
         * Register a device for notifications
         * @description The device belongs to the session and is removed when that ends. 200 if it is registered already. An account has at most 10: `conflict` beyond that, and for `telegram` if the account has no messenger or the bot may not write to it.
         */
        post: operations["postMeChannels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a device
         * @description Remove a device
         */
        delete: operations["deleteMeChannelsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a device
         * @description Sent at once, regardless of the preferences. 3 an hour.
         */
        post: operations["postMeChannelsByIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the e-mail address
         * @description The new address gets a link, and the change happens when it is used. With the present address, a change that was asked for before is taken back. The old address gets a notice with a link that undoes the change for 7 days. Give the `password` if the account has one; otherwise the session must be younger than 10 minutes (403 `forbidden`).
         */
        put: operations["putMeEmail"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the verification mail again
         * @description Sends nothing if the address is verified.
         */
        post: operations["postMeEmailVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that is stored about the caller
         * @description One JSON document, streamed. About other people it contains only their names and what they sent to the caller. If the stream breaks off, the JSON is incomplete: ask again.
         */
        get: operations["getMeExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s ways to sign in, oldest first
         * @description All of them, unless there is a `limit`. `last_used_at` is null until the first use.
         */
        get: operations["getMeIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a way to sign in
         * @description Sessions continue. The last usable way cannot be removed: 409 `last_identity`. `second_factor_required` for a passkey of staff, if `STAFF_PASSKEY` requires them to confirm with one.
         */
        delete: operations["deleteMeIdentitiesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities/messenger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a messenger to sign in with
         * @description 200 if the account has it already. 409 `conflict` if the account has another messenger. If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise).
         */
        post: operations["postMeIdentitiesMessenger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities/oidc/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an account of an OpenID Connect provider to sign in with
         * @description 200 if the account has it already. If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise).
         */
        post: operations["postMeIdentitiesOidcByProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities/oidc/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a browser to a provider, to add an account there to sign in with
         * @description Sets a cookie and returns the address to open. The browser returns to `return_to`, with `#error=<code>` if nothing was added: `identity_taken`, `unauthenticated` if the session has ended, or an error code of the login. If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise).
         */
        post: operations["postMeIdentitiesOidcByProviderStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/location": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The published position
         * @description As others may see it. The true position is not stored.
         */
        get: operations["getMeLocation"];
        /**
         * Publish a position
         * @description Returns the published position, some 300 m from the one that was sent, which is not stored. The same place always gets the same published position. 6 a minute and 60 an hour.
         */
        put: operations["putMeLocation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Decisions of moderation about the caller, newest first
         * @description What was decided, why, until when, and how to appeal. Announcements of admins to everybody are among them, with the action `announce` and the text in `reason`. The token of a suspended user is accepted.
         */
        get: operations["getMeNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s notification preferences
         * @description The caller’s notification preferences
         */
        get: operations["getMeNotifications"];
        /**
         * Change the notification preferences
         * @description Absent fields keep their values. In quiet hours nothing is sent, by the local time of `time_zone`, summer time included. Notices about the account are always sent. `digest` sends a daily mail to a verified address about messages that have been unread for more than 12 hours.
         */
        put: operations["putMeNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description It must be discoverable and verify its user. `identity_taken` if it was added before, to this or another account; `conflict` if the account has 16.
         */
        post: operations["postMePasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Options to create a passkey
         * @description For `navigator.credentials.create()`. The challenge works once, in this session, for 5 minutes. If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise). `conflict` if the account has 16 passkeys. `second_factor_required` for staff who have a passkey, if `STAFF_PASSKEY` requires them to confirm with it.
         */
        post: operations["postMePasskeysOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password
         * @description Ends every other session. An account without a password sets its first one without `current_password`, within 10 minutes of the login (403 `forbidden`).
         */
        put: operations["putMePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/prefs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s preferences
         * @description The caller’s preferences
         */
        get: operations["getMePrefs"];
        /**
         * Change the preferences
         * @description Absent fields keep their values.
         */
        put: operations["putMePrefs"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s sessions, newest first
         * @description The caller’s sessions, newest first
         */
        get: operations["getMeSessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions but this one
         * @description End all sessions but this one
         */
        delete: operations["deleteMeSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session
         * @description End one session
         */
        delete: operations["deleteMeSessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/visibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Show or hide on the map
         * @description Takes effect at once, and the choice is stored. A user without the mandatory consents is shown to nobody until they are given.
         */
        put: operations["putMeVisibility"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image
         * @description A JPEG, PNG, WebP or GIF of up to 10 MiB and 40 megapixels. It is stored upright as WebP, its longest side at most 2048 pixels, without any metadata. An image that is not used within a day is removed. `validation_failed` if it is damaged, or there is no file; `conflict`, with an error at `/file`, if the account’s images take up 500 MB; `content_refused` if the operator’s checker of images refuses it.
         */
        post: operations["postMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an image by its signed URL
         * @description Needs no token: use the URL from another answer unchanged. Supports `ETag`, `If-None-Match` and byte ranges. `not_found` also if the URL is altered or expired, or nothing shows the image any longer.
         */
        get: operations["getMediaById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Edit a message
         * @description At most a hundred times: `conflict` after that.
         */
        put: operations["putMessagesById"];
        post?: never;
        /**
         * Delete a message
         * @description A tombstone stays.
         */
        delete: operations["deleteMessagesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys that a client needs to register a device
         * @description Null or false if this server does not send to such devices.
         */
        get: operations["getNotificationsKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the digest by the link of a mail
         * @description Repeating it changes nothing.
         */
        post: operations["postNotificationsUnsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s reports, newest first
         * @description `action` is the decision.
         */
        get: operations["getReports"];
        put?: never;
        /**
         * Report a user, a message or a review
         * @description The content is kept as evidence as it is now; a message with its five neighbours on each side. While your report about the same target is open, another one answers 200 with the first, and adds its details to it; `underage` replaces its reason. Works across a block. Three reports about a user within a day, or one that they are a child, hide them until a moderator has decided. `not_a_member` for a message in somebody else’s chat, `validation_failed` for no target or several.
         */
        post: operations["postReports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Review the other member of a chat
         * @description A chat takes one review, by whoever of the two is first, once both have written in it. An anonymous one shows others neither its author nor the chat, and only the day of its time. It appears at a random moment of the next hours (`ANONYMOUS_REVIEW_DELAY_H`, 24 by default). This answer shows you everything at once.
         */
        post: operations["postReviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/nearby": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * People around a point, nearest first
         * @description Without `lat` and `lng`, around your own published point, so that no URL contains a position; if you have published none, they are required. Filters are repeatable: people match any value of each filter. `age_min` and `age_max` find only people who show their age. An account may search in 500 different cells of 0.01° a day, and be shown 3,000 different people.
         */
        get: operations["getSearchNearby"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events since a number
         * @description The same durable events as on `/ws`. `resume` is `gap` where `since` is too old or ahead: read again over HTTP.
         */
        get: operations["getSync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Popular tags, most used first
         * @description The 50 most used tags that at least 5 people share; with `q`, of those that begin with it.
         */
        get: operations["getTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public profile of a user
         * @description `not_found` also if either of you has blocked the other.
         */
        get: operations["getUsersById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reviews of a user
         * @description The newest day first, in random order within a day. Needs no token, and ignores an invalid one (expired, ended, suspended). With a token, a block between the two hides the user. `not_found` also for erased accounts.
         */
        get: operations["getUsersByIdReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The average rating and the number of reviews of a user
         * @description Needs no token, and ignores an invalid one (expired, ended, suspended). With a token, a block between the two hides the user. `not_found` also for erased accounts.
         */
        get: operations["getUsersByIdStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process lives
         * @description If it does not answer, restart it.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description Answered to this machine itself, not through a proxy, or to `METRICS_TOKEN` as a bearer token.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether it can take requests
         * @description Storage answers and has room, its schema is this release’s, and the server is not about to stop. A bucket or Redis that is away is named, and leaves it ready.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Announcement: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            text: string;
            /** Format: date-time */
            until: string | null;
        };
        AnnouncementList: {
            items: components["schemas"]["Announcement"][];
            next_cursor: string | null;
        };
        Appeal: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            note: string | null;
            /** Format: uuid */
            notice_id: string;
            /** Format: date-time */
            resolved_at: string | null;
            status: components["schemas"]["AppealStatus"];
            text: string;
        };
        /** @description `note` is shown to the user concerned */
        AppealDecision: {
            /** @enum {string} */
            decision: "uphold" | "reject";
            /** @description 1 to 2000 Unicode characters; normalized to NFC and trimmed. */
            note: string;
        };
        AppealedNotice: {
            action: components["schemas"]["NoticeAction"];
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            note: string | null;
            reason: string;
            /** Format: uuid */
            report_id: string | null;
            /** Format: date-time */
            until: string | null;
        };
        AppealList: {
            items: components["schemas"]["Appeal"][];
            next_cursor: string | null;
        };
        AppealQueue: {
            items: components["schemas"]["QueuedAppeal"][];
            next_cursor: string | null;
        };
        AppealState: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["AppealStatus"];
        };
        /** @enum {string} */
        AppealStatus: "open" | "upheld" | "rejected";
        AuditEntry: {
            action: string;
            /** Format: uuid */
            actor_id: string | null;
            /** Format: date-time */
            at: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            subject_id: string | null;
        };
        /** @enum {string} */
        AuditFormat: "json" | "jsonl" | "csv";
        AuditLog: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        /** @description The result of `PublicKeyCredential.toJSON()` */
        AuthenticationResponseJSON: {
            /** @description base64url */
            id: string;
            /** @description base64url */
            rawId: string;
            response: components["schemas"]["AuthenticationResponseJSONResponse"];
            /** @constant */
            type: "public-key";
        };
        AuthenticationResponseJSONResponse: {
            /** @description base64url */
            authenticatorData: string;
            /** @description base64url */
            clientDataJSON: string;
            /** @description base64url */
            signature: string;
            /** @description base64url */
            userHandle?: string | null;
        };
        BannedImage: {
            /**
             * Format: uuid
             * @description Null for the command line
             */
            added_by: string | null;
            /** Format: date-time */
            created_at: string;
            distance: number | null;
            hash: string;
            /** Format: uuid */
            id: string;
            reason: string;
            /**
             * Format: uuid
             * @description The report whose decision has banned it
             */
            report_id: string | null;
        };
        BannedImageList: {
            items: components["schemas"]["BannedImage"][];
            next_cursor: string | null;
        };
        Block: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
        };
        BlockList: {
            items: components["schemas"]["Block"][];
            next_cursor: string | null;
        };
        Channel: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            failing_since: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "webpush" | "fcm" | "apns" | "telegram";
            /**
             * @description The device that registered it
             * @example Firefox 151 on Linux
             */
            label: string;
            /** Format: date-time */
            last_delivered_at: string | null;
        };
        Chat: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            last_message: components["schemas"]["Message"] | null;
            /** Format: date-time */
            last_msg_at: string | null;
            /** Format: date-time */
            last_seen_at: string | null;
            /**
             * Format: date-time
             * @description This chat sends no notifications until then; `9999-12-31T00:00:00.000Z` is a mute without end
             */
            muted_until: string | null;
            /** @description Whether the other user has an open socket; false until both have written */
            online: boolean;
            unread_count: number;
            user: components["schemas"]["User"];
        };
        ChatList: {
            items: components["schemas"]["Chat"][];
            next_cursor: string | null;
            /** @description The sum of `unread_count` over all chats, not only those of this page */
            unread_total: number;
        };
        /** @enum {string} */
        Check: "ok" | "failed";
        /**
         * @example {
         *       "kind": "child-safety",
         *       "text": "# Child safety standards …",
         *       "version": "3f6c0a5d9b12",
         *       "language": "en",
         *       "updated_at": "2026-11-21T00:00:00.000Z"
         *     }
         */
        ChildSafetyText: {
            /** @constant */
            kind: "child-safety";
            language: string;
            /** @description Markdown */
            text: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Changes whenever the text changes in any language */
            version: string;
        };
        ClientEphemeralFrames: {
            /** AnnouncementTold */
            announcement: {
                /** Format: date-time */
                created_at: string;
                /** Format: uuid */
                id: string;
                /** @description Null if it was withdrawn or has expired */
                text: string | null;
                /** Format: date-time */
                until: string | null;
            };
            /** TokenAccepted */
            auth: {
                /** @description Seconds */
                expires_in: number;
            };
            /** FrameRefused */
            error: {
                /**
                 * ProblemCode
                 * @enum {string}
                 */
                code: "malformed_body" | "bad_request" | "unauthenticated" | "token_expired" | "invalid_credentials" | "init_data_invalid" | "init_data_expired" | "refresh_reused" | "link_invalid" | "id_token_invalid" | "passkey_invalid" | "email_not_verified" | "registration_closed" | "invite_required" | "second_factor_required" | "not_a_member" | "not_the_owner" | "blocked" | "suspended" | "wrong_password" | "awaiting_reply" | "forbidden" | "not_found" | "method_not_allowed" | "email_taken" | "phone_taken" | "review_exists" | "message_deleted" | "identity_taken" | "last_identity" | "conflict" | "claimed" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "consents_required" | "too_young" | "self_not_allowed" | "content_refused" | "rate_limited" | "internal_error" | "messenger_not_configured" | "mail_not_configured" | "provider_not_configured" | "storage_full" | "busy" | "shutting_down" | "maintenance";
                /** @description For people */
                detail: string;
            };
            /** Hello */
            hello: {
                /** Format: uuid */
                connection_id: string;
                heartbeat_s: number;
                /**
                 * Resume
                 * @enum {string}
                 */
                resume: "fresh" | "ok" | "gap";
                seq: number;
            };
            /** MaintenanceState */
            maintenance: {
                on: boolean;
                /** @description What the operator tells people; null when it is over */
                text: string | null;
            };
            /** Pong */
            pong: Record<string, never>;
            /** Presence */
            presence: {
                /** Format: date-time */
                last_seen_at: string | null;
                online: boolean;
                /** Format: uuid */
                user_id: string;
            };
            /** SessionEnded */
            session_ended: {
                /**
                 * EndReason
                 * @enum {string}
                 */
                reason: "logout" | "password_changed" | "ended" | "suspended" | "erased";
            };
            /** Typing */
            typing: {
                /** Format: uuid */
                chat_id: string;
                /** Format: uuid */
                user_id: string;
            };
        };
        /**
         * @example {
         *       "consents": {
         *         "marketing": true
         *       }
         *     }
         */
        ConsentChange: {
            consents: components["schemas"]["ConsentChoices"];
        };
        ConsentChoices: {
            disclaimer?: boolean;
            marketing?: boolean;
            privacy?: boolean;
            terms?: boolean;
        };
        /** @enum {string} */
        ConsentKind: "terms" | "privacy" | "disclaimer" | "marketing";
        /** @enum {string} */
        ContactKind: "phone" | "email" | "payment";
        ContactMatch: {
            /** @description Without, all kinds */
            kinds?: components["schemas"]["ContactKind"][] | null;
            /** @constant */
            type: "contact";
        };
        DayStats: {
            /** @description People who used a session */
            active: number;
            blocks: number;
            chats: number;
            /**
             * @description In UTC
             * @example 2026-11-21
             */
            date: string;
            decided: number;
            messages: number;
            registered: number;
            reports: number;
        };
        /**
         * @example {
         *       "email": "ada.lovelace@example.org",
         *       "password": "thirteen green bottles"
         *     }
         */
        EmailChange: {
            /** Format: email */
            email: string;
            password?: string | null;
        };
        /**
         * @example {
         *       "token": "p1n8dXb0Q0y5mS3hVtC7…"
         *     }
         */
        EmailLink: {
            /** @description The part of the link after `#token=` */
            token: string;
        };
        /**
         * @example {
         *       "password": "thirteen green bottles"
         *     }
         */
        Erasure: {
            /** @description Instead of the password, for a messenger account: as at its login */
            init_data?: string | null;
            /** @description If the account has one */
            password?: string | null;
        };
        Event: components["schemas"]["EventMessage"] | components["schemas"]["EventMessageEdited"] | components["schemas"]["EventMessageDeleted"] | components["schemas"]["EventChat"] | components["schemas"]["EventReview"] | components["schemas"]["EventMessageRead"] | components["schemas"]["EventBlock"] | components["schemas"]["EventNotice"];
        EventBlock: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Block"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "block";
        };
        EventChat: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Chat"] | components["schemas"]["Gone"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "chat";
        };
        EventMessage: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Message"] | components["schemas"]["Gone"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message";
        };
        EventMessageDeleted: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Message"] | components["schemas"]["Gone"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_deleted";
        };
        EventMessageEdited: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Message"] | components["schemas"]["Gone"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_edited";
        };
        EventMessageRead: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["MessageRead"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message_read";
        };
        EventNotice: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Notice"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notice";
        };
        EventPage: {
            items: components["schemas"]["Event"][];
            next_cursor: string | null;
            /** @enum {string} */
            resume: "ok" | "gap";
            /** @description Of the newest event */
            seq: number;
        };
        EventReview: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Review"] | components["schemas"]["Gone"];
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "review";
        };
        /** @description The state when it was reported; null once its retention period is over */
        Evidence: {
            /** @description Up to five, oldest first */
            after: components["schemas"]["Message"][];
            /** @description Up to five, oldest first */
            before: components["schemas"]["Message"][];
            message: components["schemas"]["Message"] | null;
            review: components["schemas"]["Review"] | null;
            user: components["schemas"]["User"] | null;
            /** @description Earlier texts of the message, oldest first, including the last text of a deleted one */
            versions: components["schemas"]["MessageVersion"][];
        };
        Export: {
            account: components["schemas"]["Me"];
            /** @description From the audit log */
            actions: components["schemas"]["ExportedAction"][];
            appeals: components["schemas"]["Appeal"][];
            blocks: components["schemas"]["Block"][];
            /** @description Whether the messenger’s bot may write */
            bot: components["schemas"]["ExportBot"] | null;
            chats: components["schemas"]["ExportedChat"][];
            consents: components["schemas"]["ExportedConsent"][];
            /** @description One-time links of mails; of their tokens only a hash is stored */
            email_links: components["schemas"]["ExportedEmailLink"][];
            /** Format: date-time */
            exported_at: string;
            /** @description The ways to sign in */
            identities: components["schemas"]["ExportIdentity"][];
            images: components["schemas"]["ExportedImage"][];
            /** Format: date-time */
            last_seen_at: string | null;
            location: components["schemas"]["ExportedLocation"];
            mails_waiting: components["schemas"]["ExportedMail"][];
            /**
             * @description Of the messenger’s photo, until the server has fetched it
             * @example https://t.me/i/userpic/320/ada.jpg
             */
            messenger_photo_url: string | null;
            notices: components["schemas"]["ExportNotice"][];
            notifications: components["schemas"]["ExportNotifications"];
            /** @description Notifications that are not sent yet; they hold ids only */
            notifications_waiting: components["schemas"]["ExportNotificationsWaiting"][];
            passkeys: components["schemas"]["ExportPasskey"][];
            preferences: components["schemas"]["Preferences"];
            reports: components["schemas"]["Report"][];
            reviews_received: components["schemas"]["Review"][];
            reviews_written: components["schemas"]["Review"][];
            sessions: components["schemas"]["ExportedSession"][];
        };
        ExportBot: {
            /** Format: date-time */
            changed_at: string;
            language: string;
            /**
             * @description granted, stopped or refused
             * @example granted
             */
            state: string;
        };
        ExportedAction: {
            action: string;
            /** Format: date-time */
            at: string;
        };
        ExportedChat: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description Oldest first */
            messages: components["schemas"]["ExportedMessage"][];
            user: components["schemas"]["ExportedChatMember"];
        };
        ExportedChatMember: {
            /** Format: uuid */
            id: string;
            name: string | null;
        };
        ExportedConsent: {
            accepted: boolean;
            /** @description The network that the request came from */
            address: string | null;
            kind: components["schemas"]["ConsentKind"];
            /** Format: date-time */
            recorded_at: string;
            /** @description SHA-256 of the text */
            text_hash: string;
            user_agent: string | null;
            version: string;
        };
        ExportedEmailLink: {
            email: string | null;
            /** Format: date-time */
            expires_at: string;
            /** @description verify, reset, change or undo */
            kind: string;
        };
        ExportedImage: {
            bytes: number;
            /** Format: date-time */
            created_at: string;
            /** @description Perceptual hash (PDQ), which finds copies */
            hash: string | null;
            height: number;
            /** Format: uuid */
            id: string;
            /** @description The same; its longest side is at most 320 pixels */
            thumb_url: string;
            /** @description Signed; valid for at least a day */
            url: string;
            width: number;
        };
        ExportedLocation: {
            /** @description Of the published position; no other is stored */
            latitude: number | null;
            longitude: number | null;
            /** @description How many places are published as the same point again; only codes of them are stored */
            recognised_places: number;
            /** Format: date-time */
            updated_at: string | null;
            visible: boolean;
        };
        ExportedMail: {
            /** @example verify */
            about: string;
            /** Format: date-time */
            created_at: string;
            /** @example ada@example.org */
            to: string;
        };
        ExportedMessage: {
            /** @description The warning that a rule of the operator shows to the recipient; null for the sender */
            caution: string | null;
            /** Format: uuid */
            chat_id: string;
            /** @description Shown to the sender only */
            client_id: string | null;
            /** Format: date-time */
            created_at: string;
            deleted: boolean;
            /** @description Of your own messages, edited or deleted lately */
            earlier_versions: components["schemas"]["ExportedMessageVersion"][];
            edited: boolean;
            /** Format: date-time */
            edited_at: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["MessageKind"];
            photo: components["schemas"]["Image"] | null;
            read: boolean;
            /** Format: date-time */
            read_at: string | null;
            /** Format: uuid */
            sender_id: string;
            text: string | null;
        };
        ExportedMessageVersion: {
            text: string;
            /** Format: date-time */
            until: string;
        };
        ExportedSession: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_used_at: string;
            /** Format: date-time */
            passkey_at: string | null;
            user_agent: string | null;
        };
        ExportIdentity: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description password, messenger, oidc or passkey */
            kind: string;
            /** Format: date-time */
            last_used_at: string | null;
            provider: string | null;
            /** @description The user’s id at the provider */
            subject: string | null;
        };
        ExportNotice: {
            action: components["schemas"]["NoticeKind"];
            appeal: components["schemas"]["AppealState"] | null;
            /** @description Decided without a person */
            automated: boolean;
            /** Format: date-time */
            created_at: string;
            ground: components["schemas"]["ReportReason"] | null;
            how_to_appeal: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The message or review that it is about, if it is about one
             */
            message_id: string | null;
            reason: string;
            /** Format: uuid */
            review_id: string | null;
            strikes: number;
            /** Format: date-time */
            until: string | null;
        };
        ExportNotifications: {
            /** @description Without the addresses of the devices */
            channels: components["schemas"]["Channel"][];
            muted_chats: components["schemas"]["ExportNotificationsMutedChat"][];
            preferences: components["schemas"]["NotificationPreferences"];
        };
        ExportNotificationsMutedChat: {
            /** Format: uuid */
            chat_id: string;
            /** Format: date-time */
            muted_until: string;
        };
        ExportNotificationsWaiting: {
            /** @example message */
            about: string;
            /** @example fcm */
            by: string;
            /** Format: date-time */
            created_at: string;
        };
        ExportPasskey: {
            /** @description The signature counter that the authenticator reports */
            counter: number;
            /** Format: date-time */
            created_at: string;
            /** @description Of the authenticator */
            credential_id: string;
            /** Format: uuid */
            id: string;
            /** @example Phone */
            label: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @description A COSE key, as base64url; the server has no other */
            public_key: string;
            transports: string[];
        };
        FieldError: {
            code: components["schemas"]["FieldErrorCode"];
            /** @description For people */
            message: string;
            /** @description JSON pointer */
            path: string;
        };
        /** @enum {string} */
        FieldErrorCode: "required" | "type" | "format" | "too_short" | "too_long" | "out_of_range" | "not_allowed" | "duplicate" | "too_common" | "not_yours" | "unknown";
        FiledReport: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            status: components["schemas"]["ReportStatus"];
        };
        /**
         * @example {
         *       "email": "ada@example.org"
         *     }
         */
        ForgottenPassword: {
            /** Format: email */
            email: string;
        };
        /** @enum {string} */
        Gender: "female" | "male" | "other";
        GetMeChannelsResponse: {
            items: components["schemas"]["Channel"][];
            next_cursor: string | null;
        };
        GetMeIdentitiesResponse: {
            items: components["schemas"]["Identity"][];
            next_cursor: string | null;
        };
        Gone: {
            /** @constant */
            deleted: true;
            /** Format: uuid */
            id: string;
        };
        Health: {
            checks: components["schemas"]["HealthChecks"];
            /** @constant */
            status: "ok";
            /** @example 0.6.0 */
            version: string;
        };
        HealthChecks: Record<string, never>;
        /** @enum {string} */
        Hiding: "nearby" | "profile";
        Identity: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["IdentityKind"];
            /** @description For people to read */
            label: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @description For `oidc`, the name in `GET /auth/providers` */
            provider: string | null;
        };
        /** @enum {string} */
        IdentityKind: "password" | "messenger" | "oidc" | "passkey";
        Image: {
            height: number;
            /** Format: uuid */
            id: string;
            /** @description A small data:image/webp URL, to show until the image is loaded */
            placeholder: string;
            /** @description The same for the thumbnail, whose longest side is at most 320 pixels */
            thumb_url: string;
            /** @description Path and query on this server; signed, and valid for at least a day */
            url: string;
            width: number;
        };
        ImageMatch: {
            distance?: number | null;
            /** @constant */
            type: "image";
        };
        ImageUpload: {
            /** Format: binary */
            file: string;
        };
        Invite: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            note: string | null;
            used: number;
            uses: number;
        };
        InviteList: {
            items: components["schemas"]["Invite"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        LegalKind: "terms" | "privacy" | "disclaimer";
        /**
         * @example {
         *       "kind": "terms",
         *       "text": "# Terms of use …",
         *       "version": "3f6c0a5d9b12",
         *       "language": "en",
         *       "updated_at": "2026-11-21T00:00:00.000Z"
         *     }
         */
        LegalText: {
            kind: components["schemas"]["LegalKind"];
            language: string;
            /** @description Markdown */
            text: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Changes whenever the text changes in any language */
            version: string;
        };
        LinkMatch: {
            /** @description Includes their subdomains; without, any link matches */
            domains?: string[] | null;
            /** @constant */
            type: "link";
        };
        ListedSession: {
            /** Format: date-time */
            created_at: string;
            current: boolean;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_used_at: string;
            user_agent: string | null;
        };
        Location: {
            /** @description Degrees, of the published position */
            latitude: number | null;
            longitude: number | null;
            /** Format: date-time */
            updated_at: string | null;
            visible: boolean;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "twelve green bottles"
         *     }
         */
        Login: {
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            email?: string | null;
            password: string;
            phone?: string | null;
        };
        Me: {
            bio: string | null;
            /**
             * @description Shown to nobody else
             * @example 1990-05
             */
            birth_month: string | null;
            city: string | null;
            consents_missing: components["schemas"]["LegalKind"][];
            /** Format: date-time */
            created_at: string;
            email: string | null;
            email_verified: boolean;
            gender: components["schemas"]["Gender"] | null;
            hidden: components["schemas"]["Hiding"] | null;
            /** Format: uuid */
            id: string;
            messenger_id: string | null;
            name: string | null;
            phone: string | null;
            /** @description Signed URL, valid for at least a day */
            photo: string | null;
            /** @description The same; its longest side is at most 320 pixels */
            photo_thumb: string | null;
            role: components["schemas"]["Role"];
            /** @description Whether others see your age, in full years */
            show_age: boolean;
            /** Format: date-time */
            updated_at: string;
            visible: boolean;
        };
        /**
         * @example {
         *       "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
         *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
         *       "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
         *       "kind": "text",
         *       "text": "Coffee at the river?",
         *       "photo": null,
         *       "read": false,
         *       "read_at": null,
         *       "edited": false,
         *       "edited_at": null,
         *       "deleted": false,
         *       "created_at": "2026-11-21T08:34:00.000Z",
         *       "client_id": "a1",
         *       "caution": null
         *     }
         */
        Message: {
            /** @description The warning that a rule of the operator shows to the recipient; null for the sender */
            caution: string | null;
            /** Format: uuid */
            chat_id: string;
            /** @description Shown to the sender only */
            client_id: string | null;
            /** Format: date-time */
            created_at: string;
            deleted: boolean;
            edited: boolean;
            /** Format: date-time */
            edited_at: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["MessageKind"];
            photo: components["schemas"]["Image"] | null;
            read: boolean;
            /** Format: date-time */
            read_at: string | null;
            /** Format: uuid */
            sender_id: string;
            text: string | null;
        };
        /**
         * @example {
         *       "text": "Coffee at the bridge?"
         *     }
         */
        MessageEdit: {
            /** @description 1 to 4000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
        };
        /** @enum {string} */
        MessageKind: "text" | "photo";
        MessageList: {
            items: components["schemas"]["Message"][];
            next_cursor: string | null;
        };
        MessageRead: {
            /** Format: uuid */
            chat_id: string;
            count: number;
            /** Format: uuid */
            last_read_message_id: string | null;
            /** Format: date-time */
            read_at: string | null;
            /** Format: uuid */
            reader_id: string;
        };
        MessageVersion: {
            /**
             * Format: date-time
             * @description The time until which this text was shown
             */
            at: string;
            text: string;
        };
        MessengerLogin: {
            /**
             * @description YYYY-MM-DD, for a new account if `min_age` of the providers is a number. Only year and month are stored
             * @example 1990-05-17
             */
            birth_date?: string | null;
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            /** @description The raw string, as the messenger gave it */
            init_data: string;
            /** @description The code of an invite, if `registration` of the providers is `invite` */
            invite?: string | null;
        };
        MessengerProvider: {
            /** @description The bot’s name, where known */
            bot: string | null;
        };
        MessengerSession: {
            access_token: string;
            created: boolean;
            /** @description Seconds */
            expires_in: number;
            refresh_token: string;
            /** @description The `startapp` parameter of the link that opened the mini-app, such as `chat_<id>` */
            start_param: string | null;
            /** @constant */
            token_type: "Bearer";
            user: components["schemas"]["Me"];
        };
        Neighbour: {
            /** @description To the published position, rounded up to 100 m */
            distance_m: number;
            latitude: number;
            longitude: number;
            /** Format: date-time */
            updated_at: string;
            user: components["schemas"]["User"];
        };
        NeighbourList: {
            items: components["schemas"]["Neighbour"][];
            next_cursor: string | null;
        };
        /**
         * @description Without `until`, it stays until it is deleted
         * @example {
         *       "text": "We are closed for an hour on Sunday at noon.",
         *       "until": "2030-01-01T00:00:00Z"
         *     }
         */
        NewAnnouncement: {
            /** @description 1 to 1000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
            /** Format: date-time */
            until?: string | null;
        };
        /**
         * @example {
         *       "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
         *       "text": "I was quoting somebody else."
         *     }
         */
        NewAppeal: {
            /** Format: uuid */
            notice_id: string;
            /** @description 1 to 2000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
        };
        /**
         * @description Give e-mail or phone with the password, or init_data
         * @example {
         *       "email": "ada@example.org",
         *       "password": "thirteen green bottles",
         *       "text": "I was quoting somebody else."
         *     }
         */
        NewAppealWithLogin: {
            email?: string | null;
            init_data?: string | null;
            password?: string | null;
            phone?: string | null;
            /** @description 1 to 2000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
        };
        /**
         * @description Give either `hash` or `image_id`. Without `distance`, that of the rule applies, or 31
         * @example {
         *       "hash": "d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22",
         *       "reason": "A scam"
         *     }
         */
        NewBannedImage: {
            distance?: number | null;
            /** @description PDQ: 256 bits */
            hash?: string | null;
            /** Format: uuid */
            image_id?: string | null;
            /** @description 1 to 500 Unicode characters; normalized to NFC and trimmed. */
            reason: string;
        };
        /** @description The user to block */
        NewBlock: {
            /** Format: uuid */
            user_id: string;
        };
        /**
         * @example {
         *       "kind": "fcm",
         *       "token": "dQw4w9WgXcQ:APA91bHun4MxP5egoKMwt2KZFBaFUH"
         *     }
         */
        NewChannel: components["schemas"]["PostMeChannelsBody1"] | components["schemas"]["PostMeChannelsBody2"] | components["schemas"]["PostMeChannelsBody3"] | components["schemas"]["PostMeChannelsBody4"];
        /** @description The other user */
        NewChat: {
            /** Format: uuid */
            user_id: string;
        };
        /**
         * @description `uses` is how many accounts may be created with it. Without `expires_at`, it never expires
         * @example {
         *       "uses": 30,
         *       "expires_at": "2030-01-01T00:00:00Z",
         *       "note": "Winter meetup"
         *     }
         */
        NewInvite: {
            /** Format: date-time */
            expires_at?: string | null;
            /** @description 0 to 500 Unicode characters; normalized to NFC and trimmed. */
            note?: string | null;
            uses: number;
        };
        /**
         * @description `text`, `photo`, or both
         * @example {
         *       "text": "Coffee at the river?",
         *       "client_id": "a1"
         *     }
         */
        NewMessage: {
            /** @description 1 to 64 Unicode characters; normalized to NFC and trimmed. */
            client_id?: string | null;
            kind?: components["schemas"]["MessageKind"] | null;
            /** Format: uuid */
            photo?: string | null;
            /** @description 0 to 4000 Unicode characters; normalized to NFC and trimmed. */
            text?: string | null;
        };
        /**
         * @description Exactly one of user_id, message_id and review_id
         * @example {
         *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
         *       "reason": "harassment"
         *     }
         */
        NewReport: {
            /** @description 0 to 2000 Unicode characters; normalized to NFC and trimmed. */
            details?: string | null;
            /** Format: uuid */
            message_id?: string | null;
            reason: components["schemas"]["ReportReason"];
            /** Format: uuid */
            review_id?: string | null;
            /** Format: uuid */
            user_id?: string | null;
        };
        /**
         * @example {
         *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
         *       "rating": 5,
         *       "anonymous": true,
         *       "text": "Good company."
         *     }
         */
        NewReview: {
            /** @description Default: false */
            anonymous?: boolean | null;
            /** Format: uuid */
            chat_id: string;
            rating: number;
            /** @description 0 to 1000 Unicode characters; normalized to NFC and trimmed. */
            text?: string | null;
        };
        /**
         * @description `public_text` is shown to the sender of a refused text, or to the recipient of a `note`
         * @example {
         *       "name": "Advance fees",
         *       "on": true,
         *       "applies_to": [
         *         "message"
         *       ],
         *       "match": {
         *         "type": "words",
         *         "words": [
         *           "western union",
         *           "gift card"
         *         ]
         *       },
         *       "action": "note",
         *       "public_text": "Never send money to somebody whom you have not met.",
         *       "scope": {
         *         "account_younger_than_h": 72
         *       }
         *     }
         */
        NewRule: {
            action: components["schemas"]["RuleAction"];
            applies_to: components["schemas"]["RuleSubject"][];
            match: components["schemas"]["RuleMatch"];
            /** @description 1 to 80 Unicode characters; normalized to NFC and trimmed. */
            name: string;
            on: boolean;
            /** @description 0 to 300 Unicode characters; normalized to NFC and trimmed. */
            public_text?: string | null;
            scope?: components["schemas"]["NewRuleScope"] | null;
        };
        NewRuleScope: {
            account_younger_than_h?: number | null;
            unverified?: boolean | null;
        };
        /** @description `reason` is shown to the user, `note` is for moderators only. Without `until`, it has no end */
        NewSuspension: {
            /** @description 0 to 2000 Unicode characters; normalized to NFC and trimmed. */
            note?: string | null;
            /** @description 1 to 1000 Unicode characters; normalized to NFC and trimmed. */
            reason: string;
            /** Format: date-time */
            until?: string | null;
        };
        /**
         * @example {
         *       "name": "Insults",
         *       "language": "en",
         *       "text": "Insults break section 3 of the terms."
         *     }
         */
        NewTemplate: {
            /** @example en */
            language: string;
            /** @description 1 to 80 Unicode characters; normalized to NFC and trimmed. */
            name: string;
            /** @description 1 to 2000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
        };
        /**
         * @description `reason` is shown to the user, `note` is for moderators only. `strikes` count for 90 days
         * @example {
         *       "reason": "Advertising breaks section 5 of the terms."
         *     }
         */
        NewWarning: {
            /** @description 0 to 2000 Unicode characters; normalized to NFC and trimmed. */
            note?: string | null;
            /** @description 1 to 1000 Unicode characters; normalized to NFC and trimmed. */
            reason: string;
            strikes?: number | null;
        };
        /**
         * @example {
         *       "kind": "message"
         *     }
         * @example {}
         */
        NextReport: {
            kind?: components["schemas"]["ReportKind"] | null;
        };
        Notice: {
            action: components["schemas"]["NoticeKind"];
            appeal: components["schemas"]["AppealState"] | null;
            /** @description Decided without a person */
            automated: boolean;
            /** Format: date-time */
            created_at: string;
            ground: components["schemas"]["ReportReason"] | null;
            how_to_appeal: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The message or review that it is about, if it is about one
             */
            message_id: string | null;
            reason: string;
            /** Format: uuid */
            review_id: string | null;
            /** Format: date-time */
            until: string | null;
        };
        /** @enum {string} */
        NoticeAction: "warn" | "remove_content" | "suspend" | "unsuspend" | "appeal_upheld" | "appeal_rejected" | "hide" | "show";
        /** @enum {string} */
        NoticeKind: "warn" | "remove_content" | "suspend" | "unsuspend" | "appeal_upheld" | "appeal_rejected" | "hide" | "show" | "announce";
        NoticeList: {
            items: components["schemas"]["Notice"][];
            next_cursor: string | null;
        };
        NotificationKeys: {
            apns: boolean;
            fcm: boolean;
            /**
             * @description The name of the bot
             * @example convene_bot
             */
            telegram: string | null;
            /**
             * @description The public VAPID key, as base64url
             * @example BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM
             */
            webpush: string | null;
        };
        /**
         * @example {
         *       "messages": true,
         *       "chats": true,
         *       "reviews": true,
         *       "digest": "off",
         *       "preview": "name",
         *       "quiet": {
         *         "from": "22:00",
         *         "to": "08:00",
         *         "time_zone": "Europe/Berlin"
         *       }
         *     }
         */
        NotificationPreferences: {
            chats: boolean;
            /** @enum {string} */
            digest: "off" | "daily";
            messages: boolean;
            /** @enum {string} */
            preview: "none" | "name" | "full";
            quiet: components["schemas"]["NotificationPreferencesQuiet"] | null;
            reviews: boolean;
        };
        NotificationPreferencesQuiet: {
            /** @description Hours and minutes, such as `22:00` */
            from: string;
            time_zone: string;
            /** @description Hours and minutes, such as `22:00` */
            to: string;
        };
        OidcProvider: {
            label: string;
            name: string;
        };
        OidcSession: {
            access_token: string;
            created: boolean;
            /** @description Seconds */
            expires_in: number;
            refresh_token: string;
            /** @constant */
            token_type: "Bearer";
            user: components["schemas"]["Me"];
        };
        PasswordChange: {
            current_password?: string | null;
            /**
             * Format: password
             * @description 8 to 200 Unicode characters, and none of the most common passwords
             */
            new_password: string;
        };
        /**
         * @example {
         *       "token": "p1n8dXb0Q0y5mS3hVtC7…",
         *       "password": "thirteen green bottles"
         *     }
         */
        PasswordReset: {
            /**
             * Format: password
             * @description 8 to 200 Unicode characters, and none of the most common passwords
             */
            password: string;
            /** @description The part of the link after `#token=` */
            token: string;
        };
        PatternMatch: {
            /** @description RE2 syntax; case does not matter */
            pattern: string;
            /** @constant */
            type: "pattern";
        };
        /** @description A decision that may still be taken back */
        PendingDecision: {
            action: components["schemas"]["ReportAction"];
            ban_images: boolean;
            /** Format: uuid */
            decided_by: string;
            note: string;
            strikes: number;
            /** Format: date-time */
            takes_effect_at: string;
            /** Format: date-time */
            until: string | null;
        };
        PeopleList: {
            items: components["schemas"]["PersonInList"][];
            next_cursor: string | null;
        };
        PersonCounts: {
            /** @description How many people have blocked them; at most 1,000 */
            blocks: number;
            /** @description How many messages they have sent, counted among at most 10,000 of their chats */
            messages: number;
            /** @description Open ones among the reports; at most 1,000 */
            open_reports: number;
            /** @description Open ones among the reports about reviews */
            open_review_reports: number;
            /** @description Reports about them or what they wrote; at most 1,000 */
            reports: number;
            /** @description Those of the reports that are about reviews, which no list shows by author */
            review_reports: number;
        };
        PersonDecision: {
            action: components["schemas"]["NoticeAction"];
            appeal: components["schemas"]["AppealState"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            decided_by: string | null;
            ground: components["schemas"]["ReportReason"] | null;
            /** Format: uuid */
            id: string;
            note: string | null;
            reason: string;
            /**
             * Format: uuid
             * @description Null also for a report about a review, whose evidence names the author
             */
            report_id: string | null;
            strikes: number;
            /** Format: date-time */
            until: string | null;
        };
        PersonInList: {
            /** Format: date-time */
            created_at: string;
            email: string | null;
            /** Format: uuid */
            id: string;
            name: string | null;
            phone: string | null;
            role: components["schemas"]["Role"];
            standing: components["schemas"]["Standing"];
            /**
             * Format: date-time
             * @description Null also for a suspension without end
             */
            suspended_until: string | null;
        };
        PersonRecord: {
            counts: components["schemas"]["PersonCounts"];
            /** Format: date-time */
            created_at: string;
            /** @description The 50 newest */
            decisions: components["schemas"]["PersonDecision"][];
            /** @description For admins only */
            email?: string | null;
            /** @description For admins only */
            email_verified?: boolean;
            hidden: components["schemas"]["Hiding"] | null;
            /** Format: uuid */
            id: string;
            /** @description For admins only */
            identities?: components["schemas"]["Identity"][];
            /**
             * @description The language of their app, in which statements of reasons are written
             * @example en
             */
            language: string;
            name: string | null;
            /** @description For admins only */
            phone?: string | null;
            proposal: components["schemas"]["StrikeProposal"] | null;
            role: components["schemas"]["Role"];
            /** @description For admins only: the 50 newest */
            sessions?: components["schemas"]["PersonSession"][];
            standing: components["schemas"]["Standing"];
            /** @description Strikes of the last 90 days, without decisions that an appeal has overturned */
            strikes: number;
            /** @example Insults, after a warning. */
            suspended_reason: string | null;
            /**
             * Format: date-time
             * @description Null also for a suspension without end
             */
            suspended_until: string | null;
        };
        PersonSession: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_used_at: string;
            user_agent: string | null;
        };
        /**
         * @example {
         *       "latitude": 38.7169,
         *       "longitude": -9.1399
         *     }
         * @example {
         *       "latitude": 38.7223,
         *       "longitude": -9.1393
         *     }
         */
        Position: {
            latitude: number;
            longitude: number;
        };
        PostAdminInvitesResponse: {
            /**
             * @description Shown only in this answer
             * @example 7KQ2-M0XE-9TVD-RC4H
             */
            code: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            note: string | null;
            used: number;
            uses: number;
        };
        PostAuthOidcByProviderBody: {
            /**
             * @description YYYY-MM-DD, for a new account if `min_age` of the providers is a number. Only year and month are stored
             * @example 1990-05-17
             */
            birth_date?: string | null;
            /** @description Apple’s `authorizationCode`, so that an erasure can revoke the grant */
            code?: string | null;
            consents?: components["schemas"]["RegistrationConsents"];
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            /** @description As the provider gave it, for a client id of this server */
            id_token: string;
            /** @description The code of an invite, if `registration` of the providers is `invite` */
            invite?: string | null;
            /** @description The nonce in the id token, if you asked the provider for one */
            nonce?: string | null;
        };
        PostAuthOidcByProviderStartBody: {
            /**
             * @description YYYY-MM-DD, for a new account if `min_age` of the providers is a number. Only year and month are stored
             * @example 1990-05-17
             */
            birth_date?: string | null;
            /** @description The code of an invite, if `registration` of the providers is `invite` */
            invite?: string | null;
            /** @description Where to return, on this server or a listed origin. Default: `/` */
            return_to?: string | null;
        };
        PostAuthOidcByProviderStartResponse: {
            /** @description Where to send the browser, within the ten minutes for which its cookie is valid */
            url: string;
        };
        PostAuthPasskeyBody: {
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            credential: components["schemas"]["AuthenticationResponseJSON"];
        };
        PostAuthPasskeyConfirmBody: {
            credential: components["schemas"]["AuthenticationResponseJSON"];
        };
        PostAuthPasskeyOptionsResponse: {
            options: components["schemas"]["PublicKeyCredentialRequestOptionsJSON"];
        };
        PostMeChannelsBody1: {
            /** @constant */
            kind: "webpush";
            subscription: components["schemas"]["PostMeChannelsBody1Subscription"];
        };
        PostMeChannelsBody1Subscription: {
            endpoint: string;
            keys: components["schemas"]["PostMeChannelsBody1SubscriptionKeys"];
        };
        PostMeChannelsBody1SubscriptionKeys: {
            auth: string;
            p256dh: string;
        };
        PostMeChannelsBody2: {
            /** @constant */
            kind: "fcm";
            token: string;
        };
        PostMeChannelsBody3: {
            /** @constant */
            kind: "apns";
            token: string;
        };
        PostMeChannelsBody4: {
            /** @constant */
            kind: "telegram";
        };
        PostMeIdentitiesMessengerBody: {
            /** @description The raw string, as the messenger gave it */
            init_data: string;
            password?: string | null;
        };
        PostMeIdentitiesOidcByProviderBody: {
            /** @description Apple’s `authorizationCode`, so that an erasure can revoke the grant */
            code?: string | null;
            /** @description As the provider gave it, for a client id of this server */
            id_token: string;
            /** @description The nonce in the id token, if you asked the provider for one */
            nonce?: string | null;
            password?: string | null;
        };
        PostMeIdentitiesOidcByProviderStartBody: {
            password?: string | null;
            /** @description Where to return, on this server or a listed origin. Default: `/` */
            return_to?: string | null;
        };
        PostMePasskeysBody: {
            credential: components["schemas"]["RegistrationResponseJSON"];
            /** @description 1 to 60 Unicode characters; normalized to NFC and trimmed. */
            label: string;
        };
        PostMePasskeysOptionsBody: {
            password?: string | null;
        };
        PostMePasskeysOptionsResponse: {
            options: components["schemas"]["PublicKeyCredentialCreationOptionsJSON"];
        };
        PostMePasskeysResponse: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @constant */
            kind: "passkey";
            /** @example Phone */
            label: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @example null */
            provider: null;
        };
        /**
         * @example {
         *       "token": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f.p1n8dXb0Q0y5mS3hVtC7…"
         *     }
         */
        PostNotificationsUnsubscribeBody: {
            /** @description The part of the link after `#token=` */
            token: string;
        };
        Preferences: {
            activities: string[];
            drinks: string[];
            language: string;
            purposes: string[];
        };
        PreferencesChange: {
            /** @description Up to 20, no duplicates */
            activities?: string[];
            /** @description Up to 20, no duplicates */
            drinks?: string[];
            /** @description BCP 47 tag */
            language?: string;
            /** @description Up to 20, no duplicates */
            purposes?: string[];
        };
        /** @description RFC 9457 */
        Problem: {
            code: components["schemas"]["ProblemCode"];
            /** @description For people */
            detail: string;
            /** @description The fields that were refused */
            errors?: components["schemas"]["FieldError"][];
            /** @description Only of `suspended`: why */
            reason?: string | null;
            /** @description The same as `x-request-id` */
            request_id: string;
            status: number;
            title: string;
            type: string;
            /**
             * Format: date-time
             * @description Only of `suspended`: its end; null where it has none
             */
            until?: string | null;
        };
        /** @enum {string} */
        ProblemCode: "malformed_body" | "bad_request" | "unauthenticated" | "token_expired" | "invalid_credentials" | "init_data_invalid" | "init_data_expired" | "refresh_reused" | "link_invalid" | "id_token_invalid" | "passkey_invalid" | "email_not_verified" | "registration_closed" | "invite_required" | "second_factor_required" | "not_a_member" | "not_the_owner" | "blocked" | "suspended" | "wrong_password" | "awaiting_reply" | "forbidden" | "not_found" | "method_not_allowed" | "email_taken" | "phone_taken" | "review_exists" | "message_deleted" | "identity_taken" | "last_identity" | "conflict" | "claimed" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "consents_required" | "too_young" | "self_not_allowed" | "content_refused" | "rate_limited" | "internal_error" | "messenger_not_configured" | "mail_not_configured" | "provider_not_configured" | "storage_full" | "busy" | "shutting_down" | "maintenance";
        /**
         * @example {
         *       "city": "Lisbon",
         *       "bio": "Walks, espresso, old maps.",
         *       "gender": "female"
         *     }
         */
        ProfileChange: {
            /** @description 0 to 500 Unicode characters; normalized to NFC and trimmed. */
            bio?: string | null;
            /** @description 0 to 80 Unicode characters; normalized to NFC and trimmed. */
            city?: string | null;
            gender?: components["schemas"]["Gender"] | null;
            /** @description 1 to 80 Unicode characters; normalized to NFC and trimmed. */
            name?: string;
            /** @description Id of an image that you uploaded */
            photo?: string | null;
            show_age?: boolean;
        };
        /** @enum {string} */
        ProposedAction: "warn" | "suspend";
        /**
         * @example {
         *       "password": true,
         *       "messenger": {
         *         "bot": null
         *       },
         *       "oidc": [],
         *       "passkey": true,
         *       "registration": "open",
         *       "min_age": null,
         *       "mail": true
         *     }
         */
        Providers: {
            /** @description Whether this server sends mail, as for a forgotten password */
            mail: boolean;
            messenger: components["schemas"]["MessengerProvider"] | null;
            /** @description Minimum age of a new account’s owner; null: not asked */
            min_age: number | null;
            oidc: components["schemas"]["OidcProvider"][];
            passkey: boolean;
            /** @constant */
            password: true;
            /** @enum {string} */
            registration: "open" | "invite" | "closed";
        };
        PublicKeyCredentialCreationOptionsJSON: {
            /** @constant */
            attestation: "none";
            authenticatorSelection: components["schemas"]["PublicKeyCredentialCreationOptionsJSONAuthenticatorSelection"];
            challenge: string;
            excludeCredentials: components["schemas"]["PublicKeyCredentialCreationOptionsJSONExcludeCredential"][];
            pubKeyCredParams: components["schemas"]["PublicKeyCredentialCreationOptionsJSONPubKeyCredParam"][];
            rp: components["schemas"]["PublicKeyCredentialCreationOptionsJSONRp"];
            /** @description Milliseconds */
            timeout: number;
            user: components["schemas"]["PublicKeyCredentialCreationOptionsJSONUser"];
        };
        PublicKeyCredentialCreationOptionsJSONAuthenticatorSelection: {
            /** @constant */
            requireResidentKey: true;
            /** @constant */
            residentKey: "required";
            /** @constant */
            userVerification: "required";
        };
        PublicKeyCredentialCreationOptionsJSONExcludeCredential: {
            id: string;
            transports?: string[];
            /** @constant */
            type: "public-key";
        };
        PublicKeyCredentialCreationOptionsJSONPubKeyCredParam: {
            alg: number;
            /** @constant */
            type: "public-key";
        };
        PublicKeyCredentialCreationOptionsJSONRp: {
            id: string;
            name: string;
        };
        PublicKeyCredentialCreationOptionsJSONUser: {
            displayName: string;
            id: string;
            name: string;
        };
        PublicKeyCredentialRequestOptionsJSON: {
            /** @description Empty: the authenticator offers the passkeys that it has */
            allowCredentials: unknown[];
            challenge: string;
            rpId: string;
            /** @description Milliseconds */
            timeout: number;
            /** @constant */
            userVerification: "required";
        };
        /**
         * @example {
         *       "until": "forever"
         *     }
         */
        PutChatsByIdMuteBody: {
            /** @description A time in ISO 8601 with its zone, or `forever` */
            until: string | null;
        };
        /**
         * @example {
         *       "preview": "none",
         *       "quiet": {
         *         "from": "22:00",
         *         "to": "08:00",
         *         "time_zone": "Europe/Berlin"
         *       }
         *     }
         */
        PutMeNotificationsBody: {
            chats?: boolean | null;
            /** @enum {string|null} */
            digest?: "off" | "daily" | null;
            messages?: boolean | null;
            /** @enum {string|null} */
            preview?: "none" | "name" | "full" | null;
            quiet?: components["schemas"]["NotificationPreferencesQuiet"] | null;
            reviews?: boolean | null;
        };
        /** @description Independent of the filter, without reports that concern the reader */
        QueueCounts: {
            /**
             * @description Open reports
             * @example {
             *       "message": 3
             *     }
             */
            by_kind: {
                [key: string]: number;
            };
            open: number;
            /** @description Open reports whose `due_at` has passed */
            overdue: number;
        };
        QueuedAppeal: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description Whether you may resolve it now. An appeal goes to somebody other than who made the decision, if anybody else may resolve it */
            may_resolve: boolean;
            note: string | null;
            notice: components["schemas"]["AppealedNotice"];
            /** Format: date-time */
            resolved_at: string | null;
            /** Format: uuid */
            resolved_by: string | null;
            status: components["schemas"]["AppealStatus"];
            text: string;
            /**
             * Format: uuid
             * @description Null if the decision is about a review: its report names the author
             */
            user_id: string | null;
            /** @description Seconds that it has waited, or waited until its decision */
            waiting_s: number;
        };
        QueuedReport: {
            /**
             * Format: uuid
             * @description The moderator who works on it now
             */
            claimed_by: string | null;
            /** Format: date-time */
            claimed_until: string | null;
            /** Format: date-time */
            created_at: string;
            details: string | null;
            /**
             * Format: date-time
             * @description When it should be decided at the latest
             */
            due_at: string;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["ReportKind"];
            /** Format: uuid */
            message_id: string | null;
            pending: components["schemas"]["PendingDecision"] | null;
            reason: components["schemas"]["ReportReason"];
            /** Format: uuid */
            reporter_id: string | null;
            resolution: components["schemas"]["ReportResolution"] | null;
            /** Format: uuid */
            review_id: string | null;
            status: components["schemas"]["ReportStatus"];
            /**
             * Format: uuid
             * @description The user concerned: the reported one, or the author; in lists not that of a review
             */
            subject_id: string | null;
            /**
             * Format: uuid
             * @description Only one of the three ids is set, that of the target
             */
            user_id: string | null;
            /** @description Seconds that it has waited, or waited until its decision */
            waiting_s: number;
        };
        Readiness: {
            checks: components["schemas"]["ReadinessChecks"];
            /** @description degraded: it takes requests, and some of what it does is away, as `checks` says. The log says more */
            status: components["schemas"]["ReadinessStatus"];
            /** @example 0.6.0 */
            version: string;
        };
        ReadinessChecks: {
            /** @description Where images lie in S3: whether their bucket answers; away leaves the server ready */
            media?: components["schemas"]["SharedCheck"];
            migrations: components["schemas"]["Check"];
            /**
             * @description Images that the database knows are missing. Text works without them
             * @constant
             */
            photos?: "failed";
            /** @description Only with REDIS_URL: whether it answers; away leaves the server ready */
            redis?: components["schemas"]["SharedCheck"];
            room: components["schemas"]["Check"];
            running: components["schemas"]["Check"];
            /**
             * @description A setting lacks another one, here or on another node: see the log, or `convene check`
             * @constant
             */
            settings?: "half_set";
            storage: components["schemas"]["Check"];
        };
        /** @enum {string} */
        ReadinessStatus: "ok" | "degraded" | "unavailable";
        ReadMarks: {
            /** @description How many messages were marked */
            read: number;
            /** Format: date-time */
            read_at: string | null;
        };
        ReadUpTo: {
            /** Format: uuid */
            up_to?: string | null;
        };
        RecordedConsent: {
            accepted: boolean;
            kind: components["schemas"]["ConsentKind"];
            /** Format: date-time */
            recorded_at: string;
            version: string;
        };
        RecordedConsents: {
            items: components["schemas"]["RecordedConsent"][];
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "twelve green bottles",
         *       "name": "Ada",
         *       "city": "Lisbon",
         *       "consents": {
         *         "terms": true,
         *         "privacy": true,
         *         "disclaimer": true
         *       }
         *     }
         * @example {
         *       "email": "ben@example.org",
         *       "password": "seven yellow kites",
         *       "name": "Ben",
         *       "city": "Lisbon",
         *       "consents": {
         *         "terms": true,
         *         "privacy": true,
         *         "disclaimer": true
         *       }
         *     }
         */
        Registration: {
            /** @description 0 to 500 Unicode characters; normalized to NFC and trimmed. */
            bio?: string | null;
            /**
             * @description YYYY-MM-DD, for a new account if `min_age` of the providers is a number. Only year and month are stored
             * @example 1990-05-17
             */
            birth_date?: string | null;
            /** @description 0 to 80 Unicode characters; normalized to NFC and trimmed. */
            city?: string | null;
            consents?: components["schemas"]["RegistrationConsents"];
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            /** Format: email */
            email?: string | null;
            gender?: components["schemas"]["Gender"] | null;
            /** @description The code of an invite, if `registration` of the providers is `invite` */
            invite?: string | null;
            /** @description 1 to 80 Unicode characters; normalized to NFC and trimmed. */
            name: string;
            /**
             * Format: password
             * @description 8 to 200 Unicode characters, and none of the most common passwords
             */
            password: string;
            phone?: string | null;
        };
        /** @description terms, privacy and disclaimer, each exactly true; marketing if you like */
        RegistrationConsents: {
            disclaimer: boolean;
            marketing?: boolean;
            privacy: boolean;
            terms: boolean;
        };
        /** @description The result of `PublicKeyCredential.toJSON()` */
        RegistrationResponseJSON: {
            /** @description base64url */
            id: string;
            /** @description base64url */
            rawId: string;
            response: components["schemas"]["RegistrationResponseJSONResponse"];
            /** @constant */
            type: "public-key";
        };
        RegistrationResponseJSONResponse: {
            /** @description base64url */
            attestationObject: string;
            /** @description base64url */
            clientDataJSON: string;
            transports?: string[] | null;
        };
        RepeatedMatch: {
            people: number;
            /** @constant */
            type: "repeated";
            within_h: number;
        };
        Report: {
            action: components["schemas"]["ReportAction"] | null;
            /** Format: date-time */
            created_at: string;
            details: string | null;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            message_id: string | null;
            reason: components["schemas"]["ReportReason"];
            /** Format: date-time */
            resolved_at: string | null;
            /** Format: uuid */
            review_id: string | null;
            status: components["schemas"]["ReportStatus"];
            /**
             * Format: uuid
             * @description Only one of the three ids is set, that of the target
             */
            user_id: string | null;
        };
        /** @enum {string} */
        ReportAction: "dismiss" | "warn" | "remove_content" | "suspend" | "release";
        /** @enum {string} */
        ReportAutomation: "any" | "overturned";
        /**
         * @description `note`, or else the text of the template, is shown to the user concerned as the reason. `until` is for `suspend`; without it the suspension has no end. `strikes` count for 90 days. `ban_images` is for `remove_content`: nobody can send or show the removed images again. The decision takes effect after `undo_s` seconds, and can be taken back until then
         * @example {
         *       "action": "suspend",
         *       "note": "Insults, after a warning.",
         *       "until": "2030-01-01T00:00:00Z"
         *     }
         */
        ReportDecision: {
            action: components["schemas"]["ReportAction"];
            ban_images?: boolean | null;
            /** @description 1 to 2000 Unicode characters; normalized to NFC and trimmed. */
            note?: string | null;
            strikes?: number | null;
            /** Format: uuid */
            template_id?: string | null;
            undo_s?: number | null;
            /** Format: date-time */
            until?: string | null;
        };
        /** @enum {string} */
        ReportedBy: "people" | "rules";
        /** @enum {string} */
        ReportKind: "user" | "message" | "review" | "rule" | "held";
        ReportList: {
            items: components["schemas"]["Report"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        ReportOrder: "due" | "created" | "newest";
        /** @enum {string} */
        ReportOutcome: "dismiss" | "warn" | "remove_content" | "suspend" | "release" | "measure";
        ReportQueue: {
            counts: components["schemas"]["QueueCounts"];
            items: components["schemas"]["QueuedReport"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        ReportReason: "spam" | "harassment" | "nudity" | "hate" | "scam" | "underage" | "impersonation" | "danger" | "other";
        ReportResolution: {
            action: components["schemas"]["ReportAction"];
            note: string | null;
            /** Format: date-time */
            resolved_at: string;
            /** Format: uuid */
            resolved_by: string | null;
            /** Format: date-time */
            until: string | null;
        };
        /** @enum {string} */
        ReportStatus: "open" | "resolved";
        /** @enum {string} */
        ReportTarget: "user" | "message" | "review";
        ReportWithEvidence: {
            /**
             * Format: uuid
             * @description The moderator who works on it now
             */
            claimed_by: string | null;
            /** Format: date-time */
            claimed_until: string | null;
            /** Format: date-time */
            created_at: string;
            details: string | null;
            /**
             * Format: date-time
             * @description When it should be decided at the latest
             */
            due_at: string;
            evidence: components["schemas"]["Evidence"] | null;
            hidden: components["schemas"]["Hiding"] | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["ReportKind"];
            /** Format: uuid */
            message_id: string | null;
            pending: components["schemas"]["PendingDecision"] | null;
            proposal: components["schemas"]["StrikeProposal"] | null;
            reason: components["schemas"]["ReportReason"];
            /** Format: uuid */
            reporter_id: string | null;
            resolution: components["schemas"]["ReportResolution"] | null;
            /** Format: uuid */
            review_id: string | null;
            status: components["schemas"]["ReportStatus"];
            /** @description The strikes of the user concerned */
            strikes: number;
            /**
             * Format: uuid
             * @description The user concerned: the reported one, or the author; in lists not that of a review
             */
            subject_id: string | null;
            /**
             * Format: uuid
             * @description Only one of the three ids is set, that of the target
             */
            user_id: string | null;
            /** @description Seconds that it has waited, or waited until its decision */
            waiting_s: number;
        };
        RestoredEmail: {
            email: string;
        };
        Review: {
            anonymous: boolean;
            /**
             * Format: uuid
             * @description Null in lists if the review is anonymous
             */
            chat_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            rating: number;
            /** Format: uuid */
            reviewed_id: string;
            /**
             * Format: uuid
             * @description Null in lists if the review is anonymous, and once the author’s account is erased
             */
            reviewer_id: string | null;
            text: string | null;
        };
        ReviewList: {
            items: components["schemas"]["Review"][];
            next_cursor: string | null;
        };
        ReviewStats: {
            count: number;
            /** @description Rounded to two decimals */
            rating_avg: number | null;
            /** Format: uuid */
            user_id: string;
        };
        /** @enum {string} */
        Role: "user" | "moderator" | "admin";
        /**
         * @example {
         *       "role": "moderator"
         *     }
         */
        RoleChange: {
            role: components["schemas"]["Role"];
        };
        RoleState: {
            role: components["schemas"]["Role"];
            /** Format: uuid */
            user_id: string;
        };
        Rule: {
            action: components["schemas"]["RuleAction"];
            applies_to: components["schemas"]["RuleSubject"][];
            /** Format: uuid */
            id: string;
            match: components["schemas"]["RuleMatch"];
            /** @description 1 to 80 Unicode characters; normalized to NFC and trimmed. */
            name: string;
            on: boolean;
            public_text: string | null;
            scope: components["schemas"]["RuleScope"];
        };
        /** @enum {string} */
        RuleAction: "refuse" | "hold" | "flag" | "note";
        /** @enum {string} */
        RuleChange: "created" | "changed" | "deleted" | "imported";
        RuleList: {
            items: components["schemas"]["Rule"][];
            next_cursor: string | null;
            /** @description 0 until the first change */
            version: number;
        };
        /**
         * @example {
         *       "type": "words",
         *       "words": [
         *         "gift card"
         *       ]
         *     }
         */
        RuleMatch: components["schemas"]["WordsMatch"] | components["schemas"]["PatternMatch"] | components["schemas"]["LinkMatch"] | components["schemas"]["ContactMatch"] | components["schemas"]["ImageMatch"] | components["schemas"]["RepeatedMatch"];
        RuleScope: {
            account_younger_than_h: number | null;
            unverified: boolean;
        };
        /** @enum {string} */
        RuleSubject: "message" | "first_message" | "name" | "bio" | "review" | "photo";
        /**
         * @example {
         *       "text": "Send me a gift card",
         *       "applies_to": "message"
         *     }
         */
        RuleTrial: {
            applies_to: components["schemas"]["RuleSubject"];
            /** @description 1 to 4000 Unicode characters; normalized to NFC and trimmed. */
            text: string;
        };
        RuleTrialMatch: {
            action: components["schemas"]["RuleAction"];
            /** Format: uuid */
            id: string;
            name: string;
            on: boolean;
            public_text: string | null;
            type: string;
        };
        RuleTrialResult: {
            matches: components["schemas"]["RuleTrialMatch"][];
            version: number;
        };
        RuleVersion: {
            /**
             * Format: uuid
             * @description Null for the command line
             */
            actor_id: string | null;
            /** Format: date-time */
            at: string;
            change: components["schemas"]["RuleChange"];
            rule_count: number;
            /**
             * Format: uuid
             * @description Null for an import
             */
            rule_id: string | null;
            version: number;
        };
        RuleVersionList: {
            items: components["schemas"]["RuleVersion"][];
            next_cursor: string | null;
        };
        Session: {
            access_token: string;
            /** @description Seconds */
            expires_in: number;
            refresh_token: string;
            /** @constant */
            token_type: "Bearer";
            user: components["schemas"]["Me"];
        };
        SessionList: {
            items: components["schemas"]["ListedSession"][];
            next_cursor: string | null;
        };
        Setting: {
            /** @example 3000 */
            default: string | null;
            /** @example PORT */
            name: string;
            secret: boolean;
            source: components["schemas"]["SettingSource"];
            /**
             * @description The value in force; `***` for a secret that is set
             * @example 8080
             */
            value: string | null;
        };
        SettingList: {
            items: components["schemas"]["Setting"][];
        };
        /** @enum {string} */
        SettingSource: "environment" | "file" | "default";
        /** @enum {string} */
        SharedCheck: "ok" | "away";
        /** @enum {string} */
        Standing: "active" | "suspended";
        Stats: {
            days: components["schemas"]["DayStats"][];
            /** @description Messages that are held now */
            held: number;
            /** @description Reports that are open now, without those that concern the reader */
            open: number;
            /** @description Those of them whose `due_at` has passed */
            overdue: number;
            /**
             * @description In the period
             * @example {
             *       "message": 3,
             *       "held": 1
             *     }
             */
            reports_by_kind: {
                [key: string]: number;
            };
            /** @description The target for deciding a report, from `REPORT_TARGET_H` */
            target_s: number;
            time_to_action: components["schemas"]["TimeToAction"];
        };
        /** @description The measure that the strikes suggest; `days` null is without end. A person decides */
        StrikeProposal: {
            action: components["schemas"]["ProposedAction"];
            days: number | null;
        };
        SuspensionState: {
            reason: string | null;
            suspended: boolean;
            /** Format: date-time */
            until: string | null;
            /** Format: uuid */
            user_id: string;
        };
        Tag: {
            count: number;
            /** @example tea */
            tag: string;
        };
        /** @enum {string} */
        TagKind: "drinks" | "activities" | "purposes";
        TagList: {
            items: components["schemas"]["Tag"][];
        };
        Template: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @example en */
            language: string;
            name: string;
            text: string;
        };
        TemplateList: {
            items: components["schemas"]["Template"][];
            next_cursor: string | null;
        };
        TimeToAction: {
            p50_s: number | null;
            p95_s: number | null;
        };
        TokenRefresh: {
            /** @description false: cookies are neither set nor read */
            cookies?: boolean | null;
            refresh_token?: string | null;
        };
        TransparencyAppeals: {
            open: number;
            rejected: number;
            total: number;
            upheld: number;
        };
        TransparencyAutomated: {
            /** @description Those of them that an upheld appeal or a moderator’s dismissal or release overturned */
            overturned: number;
            /** @description People hidden by reports, banned photos taken out of profiles, and messages held by rules */
            total: number;
        };
        TransparencyDecisions: {
            /**
             * @example {
             *       "warn": 2,
             *       "dismiss": 1
             *     }
             */
            by_action: {
                [key: string]: number;
            };
            /**
             * @description Without dismissed reports
             * @example {
             *       "spam": 2
             *     }
             */
            by_ground: {
                [key: string]: number;
            };
            /**
             * @example {
             *       "message": 3
             *     }
             */
            by_kind: {
                [key: string]: number;
            };
            /**
             * @description Measures without a report
             * @example {
             *       "suspend": 1
             *     }
             */
            own_initiative: {
                [key: string]: number;
            };
            total: number;
        };
        /** @enum {string} */
        TransparencyFormat: "json" | "csv";
        TransparencyNotices: {
            /**
             * @example {
             *       "message": 3
             *     }
             */
            by_kind: {
                [key: string]: number;
            };
            /**
             * @example {
             *       "spam": 3
             *     }
             */
            by_reason: {
                [key: string]: number;
            };
            /** @description Reports by people; those by rules are not notices */
            total: number;
        };
        TransparencyReport: {
            appeals: components["schemas"]["TransparencyAppeals"];
            automated: components["schemas"]["TransparencyAutomated"];
            decisions: components["schemas"]["TransparencyDecisions"];
            /** Format: date-time */
            from: string;
            notices: components["schemas"]["TransparencyNotices"];
            time_to_action: components["schemas"]["TimeToAction"];
            /** Format: date-time */
            to: string;
        };
        Unsuspension: {
            /** @description 0 to 1000 Unicode characters; normalized to NFC and trimmed. */
            reason?: string | null;
        };
        User: {
            activities: string[];
            /**
             * @description In full years; null unless the user shows it
             * @example 36
             */
            age: number | null;
            bio: string | null;
            city: string | null;
            /** Format: date-time */
            created_at: string | null;
            drinks: string[];
            gender: components["schemas"]["Gender"] | null;
            /** Format: uuid */
            id: string;
            language: string | null;
            name: string | null;
            /** @description Signed URL, valid for at least a day */
            photo: string | null;
            /** @description The same; its longest side is at most 320 pixels */
            photo_thumb: string | null;
            purposes: string[];
            rating_avg: number | null;
            reviews_count: number;
        };
        VerifiedEmail: {
            email: string;
            /** @constant */
            email_verified: true;
        };
        Visibility: {
            visible: boolean;
        };
        Warning: {
            /**
             * Format: uuid
             * @description The notice that the user can appeal against
             */
            notice_id: string;
            reason: string;
            strikes: number;
            /** Format: uuid */
            user_id: string;
        };
        WordsMatch: {
            /** @constant */
            type: "words";
            /** @description Whole words, or phrases of up to six words; at most 20 000 in all rules together */
            words: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminAnnouncements: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "text": "Coffee at the river?",
                     *           "until": "2030-01-01T00:00:00.000Z",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["AnnouncementList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminAnnouncements: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "We are closed for an hour on Sunday at noon.",
                 *       "until": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewAnnouncement"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "text": "Coffee at the river?",
                     *       "until": "2030-01-01T00:00:00.000Z",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Announcement"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminAnnouncementsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminAppeals: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A time with its zone, or a day in UTC */
                from?: string;
                limit?: number;
                status?: components["schemas"]["AppealStatus"];
                /** @description A time with its zone, or a day in UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "text": "Coffee at the river?",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "waiting_s": 3600,
                     *           "resolved_at": "2026-11-21T08:34:00.000Z",
                     *           "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "note": "Insults, after a warning.",
                     *           "may_resolve": false,
                     *           "notice": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "action": "suspend",
                     *             "reason": "Insults, after a warning.",
                     *             "note": "Insults, after a warning.",
                     *             "until": "2030-01-01T00:00:00.000Z",
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "report_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["AppealQueue"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminAppealsByIdResolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "uphold",
                 *       "note": "Insults, after a warning."
                 *     }
                 */
                "application/json": components["schemas"]["AppealDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "text": "Coffee at the river?",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "waiting_s": 3600,
                     *       "resolved_at": "2026-11-21T08:34:00.000Z",
                     *       "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "note": "Insults, after a warning.",
                     *       "may_resolve": false,
                     *       "notice": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "action": "suspend",
                     *         "reason": "Insults, after a warning.",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "report_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedAppeal"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminAudit: {
        parameters: {
            query?: {
                /** @description 0 to 64 Unicode characters; normalized to NFC and trimmed. */
                action?: string;
                actor_id?: string;
                /** @description next_cursor of the page before */
                cursor?: string;
                format?: components["schemas"]["AuditFormat"];
                /** @description A time with its zone, or a day in UTC */
                from?: string;
                limit?: number;
                subject_id?: string;
                /** @description A time with its zone, or a day in UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "at": "2026-11-21T08:34:00.000Z",
                     *           "actor_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "action": "suspend",
                     *           "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "metadata": {}
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "getAdminImage-bank": {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "hash": "d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22",
                     *           "distance": 0,
                     *           "reason": "Insults, after a warning.",
                     *           "report_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "added_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["BannedImageList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "postAdminImage-bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hash": "d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22",
                 *       "reason": "A scam"
                 *     }
                 */
                "application/json": components["schemas"]["NewBannedImage"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "hash": "d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22",
                     *       "distance": 0,
                     *       "reason": "Insults, after a warning.",
                     *       "report_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "added_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BannedImage"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "deleteAdminImage-bankById": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminInvites: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "uses": 0,
                     *           "used": 0,
                     *           "expires_at": "2026-11-21T08:34:00.000Z",
                     *           "note": "Insults, after a warning.",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["InviteList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminInvites: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uses": 30,
                 *       "expires_at": "2030-01-01T00:00:00Z",
                 *       "note": "Winter meetup"
                 *     }
                 */
                "application/json": components["schemas"]["NewInvite"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "uses": 0,
                     *       "used": 0,
                     *       "expires_at": "2026-11-21T08:34:00.000Z",
                     *       "note": "Insults, after a warning.",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "code": "7KQ2-M0XE-9TVD-RC4H"
                     *     }
                     */
                    "application/json": components["schemas"]["PostAdminInvitesResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminInvitesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminReports: {
        parameters: {
            query?: {
                automated?: components["schemas"]["ReportAutomation"];
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A time with its zone, or a day in UTC */
                decided_from?: string;
                /** @description A time with its zone, or a day in UTC */
                decided_to?: string;
                /** @description A time with its zone, or a day in UTC */
                from?: string;
                kind?: components["schemas"]["ReportKind"];
                limit?: number;
                outcome?: components["schemas"]["ReportOutcome"];
                overdue?: "true";
                reason?: components["schemas"]["ReportReason"];
                reported_by?: components["schemas"]["ReportedBy"];
                sort?: components["schemas"]["ReportOrder"];
                status?: components["schemas"]["ReportStatus"];
                subject_id?: string;
                target?: components["schemas"]["ReportTarget"];
                /** @description A time with its zone, or a day in UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reason": "spam",
                     *           "details": "Asked me for money.",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "reporter_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "waiting_s": 3600,
                     *           "kind": "user",
                     *           "due_at": "2026-11-21T08:34:00.000Z",
                     *           "claimed_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "claimed_until": "2026-11-21T08:34:00.000Z",
                     *           "pending": {
                     *             "action": "suspend",
                     *             "note": "Insults, after a warning.",
                     *             "until": "2030-01-01T00:00:00.000Z",
                     *             "strikes": 0,
                     *             "ban_images": false,
                     *             "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "takes_effect_at": "2026-11-21T08:34:00.000Z"
                     *           },
                     *           "resolution": {
                     *             "action": "suspend",
                     *             "note": "Insults, after a warning.",
                     *             "until": "2030-01-01T00:00:00.000Z",
                     *             "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "resolved_at": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0",
                     *       "counts": {
                     *         "open": 0,
                     *         "overdue": 0,
                     *         "by_kind": {
                     *           "message": 3
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportQueue"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminReportsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reason": "spam",
                     *       "details": "Asked me for money.",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "reporter_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "waiting_s": 3600,
                     *       "kind": "user",
                     *       "due_at": "2026-11-21T08:34:00.000Z",
                     *       "claimed_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "claimed_until": "2026-11-21T08:34:00.000Z",
                     *       "pending": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "strikes": 0,
                     *         "ban_images": false,
                     *         "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "takes_effect_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "resolution": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "resolved_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "hidden": "nearby",
                     *       "strikes": 0,
                     *       "proposal": {
                     *         "action": "suspend",
                     *         "days": 0
                     *       },
                     *       "evidence": {
                     *         "message": {
                     *           "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *           "kind": "text",
                     *           "text": "Coffee at the river?",
                     *           "photo": null,
                     *           "read": false,
                     *           "read_at": null,
                     *           "edited": false,
                     *           "edited_at": null,
                     *           "deleted": false,
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "client_id": "a1",
                     *           "caution": null
                     *         },
                     *         "versions": [
                     *           {
                     *             "text": "Coffee at the river?",
                     *             "at": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ],
                     *         "before": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "after": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "review": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "city": "Lisbon",
                     *           "bio": "Walks, espresso, old maps.",
                     *           "gender": "female",
                     *           "age": 36,
                     *           "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *           "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *           "drinks": [
                     *             "espresso"
                     *           ],
                     *           "activities": [
                     *             "walking"
                     *           ],
                     *           "purposes": [
                     *             "friendship"
                     *           ],
                     *           "language": "en",
                     *           "rating_avg": 4.67,
                     *           "reviews_count": 3,
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportWithEvidence"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminReportsByIdClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reason": "spam",
                     *       "details": "Asked me for money.",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "reporter_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "waiting_s": 3600,
                     *       "kind": "user",
                     *       "due_at": "2026-11-21T08:34:00.000Z",
                     *       "claimed_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "claimed_until": "2026-11-21T08:34:00.000Z",
                     *       "pending": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "strikes": 0,
                     *         "ban_images": false,
                     *         "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "takes_effect_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "resolution": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "resolved_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "hidden": "nearby",
                     *       "strikes": 0,
                     *       "proposal": {
                     *         "action": "suspend",
                     *         "days": 0
                     *       },
                     *       "evidence": {
                     *         "message": {
                     *           "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *           "kind": "text",
                     *           "text": "Coffee at the river?",
                     *           "photo": null,
                     *           "read": false,
                     *           "read_at": null,
                     *           "edited": false,
                     *           "edited_at": null,
                     *           "deleted": false,
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "client_id": "a1",
                     *           "caution": null
                     *         },
                     *         "versions": [
                     *           {
                     *             "text": "Coffee at the river?",
                     *             "at": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ],
                     *         "before": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "after": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "review": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "city": "Lisbon",
                     *           "bio": "Walks, espresso, old maps.",
                     *           "gender": "female",
                     *           "age": 36,
                     *           "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *           "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *           "drinks": [
                     *             "espresso"
                     *           ],
                     *           "activities": [
                     *             "walking"
                     *           ],
                     *           "purposes": [
                     *             "friendship"
                     *           ],
                     *           "language": "en",
                     *           "rating_avg": 4.67,
                     *           "reviews_count": 3,
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportWithEvidence"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`, `claimed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminReportsByIdClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `claimed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminReportsByIdResolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "suspend",
                 *       "note": "Insults, after a warning.",
                 *       "until": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ReportDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reason": "spam",
                     *       "details": "Asked me for money.",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "reporter_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "waiting_s": 3600,
                     *       "kind": "user",
                     *       "due_at": "2026-11-21T08:34:00.000Z",
                     *       "claimed_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "claimed_until": "2026-11-21T08:34:00.000Z",
                     *       "pending": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "strikes": 0,
                     *         "ban_images": false,
                     *         "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "takes_effect_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "resolution": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "resolved_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "hidden": "nearby",
                     *       "strikes": 0,
                     *       "proposal": {
                     *         "action": "suspend",
                     *         "days": 0
                     *       },
                     *       "evidence": {
                     *         "message": {
                     *           "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *           "kind": "text",
                     *           "text": "Coffee at the river?",
                     *           "photo": null,
                     *           "read": false,
                     *           "read_at": null,
                     *           "edited": false,
                     *           "edited_at": null,
                     *           "deleted": false,
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "client_id": "a1",
                     *           "caution": null
                     *         },
                     *         "versions": [
                     *           {
                     *             "text": "Coffee at the river?",
                     *             "at": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ],
                     *         "before": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "after": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "review": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "city": "Lisbon",
                     *           "bio": "Walks, espresso, old maps.",
                     *           "gender": "female",
                     *           "age": 36,
                     *           "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *           "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *           "drinks": [
                     *             "espresso"
                     *           ],
                     *           "activities": [
                     *             "walking"
                     *           ],
                     *           "purposes": [
                     *             "friendship"
                     *           ],
                     *           "language": "en",
                     *           "rating_avg": 4.67,
                     *           "reviews_count": 3,
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportWithEvidence"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict`, `claimed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminReportsByIdResolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminReportsNext: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NextReport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reason": "spam",
                     *       "details": "Asked me for money.",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "reporter_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "subject_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "waiting_s": 3600,
                     *       "kind": "user",
                     *       "due_at": "2026-11-21T08:34:00.000Z",
                     *       "claimed_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "claimed_until": "2026-11-21T08:34:00.000Z",
                     *       "pending": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "strikes": 0,
                     *         "ban_images": false,
                     *         "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "takes_effect_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "resolution": {
                     *         "action": "suspend",
                     *         "note": "Insults, after a warning.",
                     *         "until": "2030-01-01T00:00:00.000Z",
                     *         "resolved_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "resolved_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "hidden": "nearby",
                     *       "strikes": 0,
                     *       "proposal": {
                     *         "action": "suspend",
                     *         "days": 0
                     *       },
                     *       "evidence": {
                     *         "message": {
                     *           "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *           "kind": "text",
                     *           "text": "Coffee at the river?",
                     *           "photo": null,
                     *           "read": false,
                     *           "read_at": null,
                     *           "edited": false,
                     *           "edited_at": null,
                     *           "deleted": false,
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "client_id": "a1",
                     *           "caution": null
                     *         },
                     *         "versions": [
                     *           {
                     *             "text": "Coffee at the river?",
                     *             "at": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ],
                     *         "before": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "after": [
                     *           {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         ],
                     *         "review": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "city": "Lisbon",
                     *           "bio": "Walks, espresso, old maps.",
                     *           "gender": "female",
                     *           "age": 36,
                     *           "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *           "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *           "drinks": [
                     *             "espresso"
                     *           ],
                     *           "activities": [
                     *             "walking"
                     *           ],
                     *           "purposes": [
                     *             "friendship"
                     *           ],
                     *           "language": "en",
                     *           "rating_avg": 4.67,
                     *           "reviews_count": 3,
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportWithEvidence"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminRules: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 0,
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "on": false,
                     *           "applies_to": [
                     *             "message"
                     *           ],
                     *           "match": {
                     *             "type": "words",
                     *             "words": [
                     *               "gift card"
                     *             ]
                     *           },
                     *           "action": "refuse",
                     *           "public_text": "Never send money to somebody whom you have not met.",
                     *           "scope": {
                     *             "account_younger_than_h": 0,
                     *             "unverified": false
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Advance fees",
                 *       "on": true,
                 *       "applies_to": [
                 *         "message"
                 *       ],
                 *       "match": {
                 *         "type": "words",
                 *         "words": [
                 *           "western union",
                 *           "gift card"
                 *         ]
                 *       },
                 *       "action": "note",
                 *       "public_text": "Never send money to somebody whom you have not met.",
                 *       "scope": {
                 *         "account_younger_than_h": 72
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "on": false,
                     *       "applies_to": [
                     *         "message"
                     *       ],
                     *       "match": {
                     *         "type": "words",
                     *         "words": [
                     *           "gift card"
                     *         ]
                     *       },
                     *       "action": "refuse",
                     *       "public_text": "Never send money to somebody whom you have not met.",
                     *       "scope": {
                     *         "account_younger_than_h": 0,
                     *         "unverified": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putAdminRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Advance fees",
                 *       "on": true,
                 *       "applies_to": [
                 *         "message"
                 *       ],
                 *       "match": {
                 *         "type": "words",
                 *         "words": [
                 *           "western union",
                 *           "gift card"
                 *         ]
                 *       },
                 *       "action": "note",
                 *       "public_text": "Never send money to somebody whom you have not met.",
                 *       "scope": {
                 *         "account_younger_than_h": 72
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "on": false,
                     *       "applies_to": [
                     *         "message"
                     *       ],
                     *       "match": {
                     *         "type": "words",
                     *         "words": [
                     *           "gift card"
                     *         ]
                     *       },
                     *       "action": "refuse",
                     *       "public_text": "Never send money to somebody whom you have not met.",
                     *       "scope": {
                     *         "account_younger_than_h": 0,
                     *         "unverified": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminRulesTry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Send me a gift card",
                 *       "applies_to": "message"
                 *     }
                 */
                "application/json": components["schemas"]["RuleTrial"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 0,
                     *       "matches": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "on": false,
                     *           "action": "refuse",
                     *           "type": "message",
                     *           "public_text": "Never send money to somebody whom you have not met."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RuleTrialResult"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminRulesVersions: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "version": 0,
                     *           "change": "created",
                     *           "rule_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rule_count": 0,
                     *           "actor_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["RuleVersionList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "PORT",
                     *           "value": "8080",
                     *           "default": "3000",
                     *           "source": "environment",
                     *           "secret": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminStats: {
        parameters: {
            query?: {
                /** @description A time with its zone, or a day in UTC */
                from?: string;
                /** @description A time with its zone, or a day in UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "date": "2026-11-21",
                     *           "registered": 0,
                     *           "active": 0,
                     *           "messages": 0,
                     *           "chats": 0,
                     *           "reports": 0,
                     *           "decided": 0,
                     *           "blocks": 0
                     *         }
                     *       ],
                     *       "reports_by_kind": {
                     *         "message": 3,
                     *         "held": 1
                     *       },
                     *       "time_to_action": {
                     *         "p50_s": 0,
                     *         "p95_s": 0
                     *       },
                     *       "target_s": 0,
                     *       "open": 0,
                     *       "overdue": 0,
                     *       "held": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminTemplates: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                language?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "language": "en",
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Insults",
                 *       "language": "en",
                 *       "text": "Insults break section 3 of the terms."
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "language": "en",
                     *       "text": "Coffee at the river?",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putAdminTemplatesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Insults",
                 *       "language": "en",
                 *       "text": "Insults break section 3 of the terms."
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "language": "en",
                     *       "text": "Coffee at the river?",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAdminTemplatesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminTransparency: {
        parameters: {
            query?: {
                format?: components["schemas"]["TransparencyFormat"];
                /** @description A time with its zone, or a day in UTC */
                from?: string;
                /** @description A time with its zone, or a day in UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-21T08:34:00.000Z",
                     *       "to": "2026-11-21T08:34:00.000Z",
                     *       "notices": {
                     *         "total": 0,
                     *         "by_reason": {
                     *           "spam": 3
                     *         },
                     *         "by_kind": {
                     *           "message": 3
                     *         }
                     *       },
                     *       "decisions": {
                     *         "total": 0,
                     *         "by_action": {
                     *           "warn": 2,
                     *           "dismiss": 1
                     *         },
                     *         "by_ground": {
                     *           "spam": 2
                     *         },
                     *         "by_kind": {
                     *           "message": 3
                     *         },
                     *         "own_initiative": {
                     *           "suspend": 1
                     *         }
                     *       },
                     *       "automated": {
                     *         "total": 0,
                     *         "overturned": 0
                     *       },
                     *       "time_to_action": {
                     *         "p50_s": 0,
                     *         "p95_s": 0
                     *       },
                     *       "appeals": {
                     *         "total": 0,
                     *         "open": 0,
                     *         "upheld": 0,
                     *         "rejected": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransparencyReport"];
                    "text/csv": string;
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminUsers: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page */
                cursor?: string;
                limit?: number;
                /** @description An id, or the beginning of an e-mail address, a phone number or a name */
                q?: string;
                role?: components["schemas"]["Role"];
                standing?: components["schemas"]["Standing"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "role": "user",
                     *           "standing": "active",
                     *           "suspended_until": "2026-11-21T08:34:00.000Z",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "email": "ada@example.org",
                     *           "phone": "+351912345678"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["PeopleList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAdminUsersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "role": "user",
                     *       "standing": "active",
                     *       "suspended_until": "2026-11-21T08:34:00.000Z",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "language": "en",
                     *       "suspended_reason": "Insults, after a warning.",
                     *       "hidden": "nearby",
                     *       "strikes": 0,
                     *       "proposal": {
                     *         "action": "suspend",
                     *         "days": 0
                     *       },
                     *       "counts": {
                     *         "reports": 0,
                     *         "open_reports": 0,
                     *         "review_reports": 0,
                     *         "open_review_reports": 0,
                     *         "blocks": 0,
                     *         "messages": 0
                     *       },
                     *       "decisions": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "action": "suspend",
                     *           "ground": "spam",
                     *           "reason": "Insults, after a warning.",
                     *           "note": "Insults, after a warning.",
                     *           "until": "2030-01-01T00:00:00.000Z",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "decided_by": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "strikes": 0,
                     *           "report_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "appeal": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "status": "open"
                     *           }
                     *         }
                     *       ],
                     *       "email": "ada@example.org",
                     *       "email_verified": false,
                     *       "phone": "+351912345678",
                     *       "identities": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "kind": "password",
                     *           "provider": "google",
                     *           "label": "Google",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "sessions": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z",
                     *           "user_agent": "Mozilla/5.0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PersonRecord"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "postAdminUsersByIdPassword-reset": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `mail_not_configured`, `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminUsersByIdRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "moderator"
                 *     }
                 */
                "application/json": components["schemas"]["RoleChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "role": "user"
                     *     }
                     */
                    "application/json": components["schemas"]["RoleState"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminUsersByIdSessionsEnd: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminUsersByIdSuspend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Insults, after a warning.",
                 *       "note": "Insults, after a warning.",
                 *       "until": "2030-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewSuspension"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "suspended": false,
                     *       "reason": "Insults, after a warning.",
                     *       "until": "2030-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SuspensionState"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminUsersByIdUnsuspend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Insults, after a warning."
                 *     }
                 */
                "application/json": components["schemas"]["Unsuspension"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "suspended": false,
                     *       "reason": "Insults, after a warning.",
                     *       "until": "2030-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SuspensionState"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAdminUsersByIdWarn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Advertising breaks section 5 of the terms."
                 *     }
                 */
                "application/json": components["schemas"]["NewWarning"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reason": "Insults, after a warning.",
                     *       "strikes": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Warning"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `suspended`, `consents_required`, `email_not_verified`, `second_factor_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAppeals: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "text": "Coffee at the river?",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "resolved_at": "2026-11-21T08:34:00.000Z",
                     *           "note": "Insults, after a warning."
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["AppealList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAppeals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *       "text": "I was quoting somebody else."
                 *     }
                 */
                "application/json": components["schemas"]["NewAppeal"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "text": "Coffee at the river?",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "resolved_at": "2026-11-21T08:34:00.000Z",
                     *       "note": "Insults, after a warning."
                     *     }
                     */
                    "application/json": components["schemas"]["Appeal"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthAppeals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org",
                 *       "password": "thirteen green bottles",
                 *       "text": "I was quoting somebody else."
                 *     }
                 */
                "application/json": components["schemas"]["NewAppealWithLogin"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "text": "Coffee at the river?",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "resolved_at": "2026-11-21T08:34:00.000Z",
                     *       "note": "Insults, after a warning."
                     *     }
                     */
                    "application/json": components["schemas"]["Appeal"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_credentials`, `init_data_invalid`, `init_data_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `messenger_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthConsents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "consents": {
                 *         "marketing": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ConsentChange"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": "terms",
                     *           "accepted": true,
                     *           "version": "3f6c0a5d9b12",
                     *           "recorded_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordedConsents"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthEmailUndo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "p1n8dXb0Q0y5mS3hVtC7…"
                 *     }
                 */
                "application/json": components["schemas"]["EmailLink"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ada@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["RestoredEmail"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `link_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthEmailVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "p1n8dXb0Q0y5mS3hVtC7…"
                 *     }
                 */
                "application/json": components["schemas"]["EmailLink"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ada@example.org",
                     *       "email_verified": true
                     *     }
                     */
                    "application/json": components["schemas"]["VerifiedEmail"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `link_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org",
                 *       "password": "twelve green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_credentials` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthMessenger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "init_data": "query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%7D&auth_date=1795249440&hash=c501b71e775f74ce…",
                 *       "birth_date": "1990-05-17",
                 *       "cookies": false
                 *     }
                 */
                "application/json": components["schemas"]["MessengerLogin"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "created": false,
                     *       "start_param": "chat_0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                     *     }
                     */
                    "application/json": components["schemas"]["MessengerSession"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "created": false,
                     *       "start_param": "chat_0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                     *     }
                     */
                    "application/json": components["schemas"]["MessengerSession"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `init_data_invalid`, `init_data_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `registration_closed`, `invite_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_young`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 300 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `messenger_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthOidcByProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example google */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ…",
                 *       "nonce": "n-0S6_WzA2Mj",
                 *       "consents": {
                 *         "terms": false,
                 *         "privacy": false,
                 *         "disclaimer": false,
                 *         "marketing": false
                 *       },
                 *       "birth_date": "1990-05-17",
                 *       "cookies": false
                 *     }
                 */
                "application/json": components["schemas"]["PostAuthOidcByProviderBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "created": false
                     *     }
                     */
                    "application/json": components["schemas"]["OidcSession"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "created": false
                     *     }
                     */
                    "application/json": components["schemas"]["OidcSession"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_token_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `registration_closed`, `invite_required`, `suspended` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `consents_required`, `too_young`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 300 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `busy`, `storage_full`, `maintenance` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthOidcByProviderStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example google */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "birth_date": "1990-05-17"
                 *     }
                 */
                "application/json": components["schemas"]["PostAuthOidcByProviderStartBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…"
                     *     }
                     */
                    "application/json": components["schemas"]["PostAuthOidcByProviderStartResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 300 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `busy`, `storage_full`, `maintenance` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *         "rawId": "ZcG3b2Fi1xJ0yT7kq5Vw2A",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4u…",
                 *           "authenticatorData": "SZYN5YgOjGh0NBcP…",
                 *           "signature": "MEUCIQDl0p2h…",
                 *           "userHandle": "AZmjxFLwfMGhpG8fbw8rEQ"
                 *         }
                 *       },
                 *       "cookies": false
                 *     }
                 */
                "application/json": components["schemas"]["PostAuthPasskeyBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `passkey_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 200 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthPasskeyConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *         "rawId": "ZcG3b2Fi1xJ0yT7kq5Vw2A",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4u…",
                 *           "authenticatorData": "SZYN5YgOjGh0NBcP…",
                 *           "signature": "MEUCIQDl0p2h…",
                 *           "userHandle": "AZmjxFLwfMGhpG8fbw8rEQ"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PostAuthPasskeyConfirmBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `passkey_invalid`, `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {
                     *         "challenge": "AAGqVJ1QYAB6…",
                     *         "rpId": "meet.example.org",
                     *         "allowCredentials": [
                     *           null
                     *         ],
                     *         "timeout": 0,
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PostAuthPasskeyOptionsResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 200 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthPasswordForgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["ForgottenPassword"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `mail_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "p1n8dXb0Q0y5mS3hVtC7…",
                 *       "password": "thirteen green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `link_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 100 in 900 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAuthProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "password": true,
                     *       "messenger": {
                     *         "bot": null
                     *       },
                     *       "oidc": [],
                     *       "passkey": true,
                     *       "registration": "open",
                     *       "min_age": null,
                     *       "mail": true
                     *     }
                     */
                    "application/json": components["schemas"]["Providers"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthRefresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "qL1n0fHq5nB3…",
                 *       "cookies": false
                 *     }
                 */
                "application/json": components["schemas"]["TokenRefresh"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired`, `refresh_reused` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 300 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…",
                     *       "refresh_token": "qL1n0fHq5nB3…",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `registration_closed`, `invite_required` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_taken`, `phone_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_young`, `consents_required`, `content_refused`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 60 in 3600 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBlocks: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["BlockList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postBlocks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                 *     }
                 */
                "application/json": components["schemas"]["NewBlock"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Block"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Block"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `self_not_allowed`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 500 in 86400 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteBlocksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChats: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "name": "Ada",
                     *             "city": "Lisbon",
                     *             "bio": "Walks, espresso, old maps.",
                     *             "gender": "female",
                     *             "age": 36,
                     *             "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *             "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *             "drinks": [
                     *               "espresso"
                     *             ],
                     *             "activities": [
                     *               "walking"
                     *             ],
                     *             "purposes": [
                     *               "friendship"
                     *             ],
                     *             "language": "en",
                     *             "rating_avg": 4.67,
                     *             "reviews_count": 3,
                     *             "created_at": "2026-11-21T08:34:00.000Z"
                     *           },
                     *           "online": false,
                     *           "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *           "muted_until": "2026-11-21T08:34:00.000Z",
                     *           "last_msg_at": "2026-11-21T08:34:00.000Z",
                     *           "last_message": {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           },
                     *           "unread_count": 1,
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0",
                     *       "unread_total": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ChatList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postChats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                 *     }
                 */
                "application/json": components["schemas"]["NewChat"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "age": 36,
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "drinks": [
                     *           "espresso"
                     *         ],
                     *         "activities": [
                     *           "walking"
                     *         ],
                     *         "purposes": [
                     *           "friendship"
                     *         ],
                     *         "language": "en",
                     *         "rating_avg": 4.67,
                     *         "reviews_count": 3,
                     *         "created_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "online": false,
                     *       "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *       "muted_until": "2026-11-21T08:34:00.000Z",
                     *       "last_msg_at": "2026-11-21T08:34:00.000Z",
                     *       "last_message": {
                     *         "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *         "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *         "kind": "text",
                     *         "text": "Coffee at the river?",
                     *         "photo": null,
                     *         "read": false,
                     *         "read_at": null,
                     *         "edited": false,
                     *         "edited_at": null,
                     *         "deleted": false,
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "client_id": "a1",
                     *         "caution": null
                     *       },
                     *       "unread_count": 1,
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Chat"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "age": 36,
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "drinks": [
                     *           "espresso"
                     *         ],
                     *         "activities": [
                     *           "walking"
                     *         ],
                     *         "purposes": [
                     *           "friendship"
                     *         ],
                     *         "language": "en",
                     *         "rating_avg": 4.67,
                     *         "reviews_count": 3,
                     *         "created_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "online": false,
                     *       "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *       "muted_until": "2026-11-21T08:34:00.000Z",
                     *       "last_msg_at": "2026-11-21T08:34:00.000Z",
                     *       "last_message": {
                     *         "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *         "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *         "kind": "text",
                     *         "text": "Coffee at the river?",
                     *         "photo": null,
                     *         "read": false,
                     *         "read_at": null,
                     *         "edited": false,
                     *         "edited_at": null,
                     *         "deleted": false,
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "client_id": "a1",
                     *         "caution": null
                     *       },
                     *       "unread_count": 1,
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Chat"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `blocked`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `self_not_allowed`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChatsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "age": 36,
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "drinks": [
                     *           "espresso"
                     *         ],
                     *         "activities": [
                     *           "walking"
                     *         ],
                     *         "purposes": [
                     *           "friendship"
                     *         ],
                     *         "language": "en",
                     *         "rating_avg": 4.67,
                     *         "reviews_count": 3,
                     *         "created_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "online": false,
                     *       "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *       "muted_until": "2026-11-21T08:34:00.000Z",
                     *       "last_msg_at": "2026-11-21T08:34:00.000Z",
                     *       "last_message": {
                     *         "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *         "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *         "kind": "text",
                     *         "text": "Coffee at the river?",
                     *         "photo": null,
                     *         "read": false,
                     *         "read_at": null,
                     *         "edited": false,
                     *         "edited_at": null,
                     *         "deleted": false,
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "client_id": "a1",
                     *         "caution": null
                     *       },
                     *       "unread_count": 1,
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Chat"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChatsByIdMessages: {
        parameters: {
            query?: {
                after?: string;
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *           "kind": "text",
                     *           "text": "Coffee at the river?",
                     *           "photo": null,
                     *           "read": false,
                     *           "read_at": null,
                     *           "edited": false,
                     *           "edited_at": null,
                     *           "deleted": false,
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "client_id": "a1",
                     *           "caution": null
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["MessageList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postChatsByIdMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Coffee at the river?",
                 *       "client_id": "a1"
                 *     }
                 */
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *       "kind": "text",
                     *       "text": "Coffee at the river?",
                     *       "photo": null,
                     *       "read": false,
                     *       "read_at": null,
                     *       "edited": false,
                     *       "edited_at": null,
                     *       "deleted": false,
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "client_id": "a1",
                     *       "caution": null
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *       "kind": "text",
                     *       "text": "Coffee at the river?",
                     *       "photo": null,
                     *       "read": false,
                     *       "read_at": null,
                     *       "edited": false,
                     *       "edited_at": null,
                     *       "deleted": false,
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "client_id": "a1",
                     *       "caution": null
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `blocked`, `awaiting_reply`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `content_refused`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 5000 in 86400 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putChatsByIdMute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "until": "forever"
                 *     }
                 */
                "application/json": components["schemas"]["PutChatsByIdMuteBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "user": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "age": 36,
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "drinks": [
                     *           "espresso"
                     *         ],
                     *         "activities": [
                     *           "walking"
                     *         ],
                     *         "purposes": [
                     *           "friendship"
                     *         ],
                     *         "language": "en",
                     *         "rating_avg": 4.67,
                     *         "reviews_count": 3,
                     *         "created_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "online": false,
                     *       "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *       "muted_until": "2026-11-21T08:34:00.000Z",
                     *       "last_msg_at": "2026-11-21T08:34:00.000Z",
                     *       "last_message": {
                     *         "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *         "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *         "kind": "text",
                     *         "text": "Coffee at the river?",
                     *         "photo": null,
                     *         "read": false,
                     *         "read_at": null,
                     *         "edited": false,
                     *         "edited_at": null,
                     *         "deleted": false,
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "client_id": "a1",
                     *         "caution": null
                     *       },
                     *       "unread_count": 1,
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Chat"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putChatsByIdRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "up_to": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11"
                 *     }
                 */
                "application/json": components["schemas"]["ReadUpTo"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "read": 1,
                     *       "read_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReadMarks"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLegalByKind: {
        parameters: {
            query?: {
                /** @description Language tag; else Accept-Language decides */
                lang?: string;
            };
            header?: never;
            path: {
                /** @example terms */
                kind: components["schemas"]["LegalKind"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "terms",
                     *       "text": "# Terms of use …",
                     *       "version": "3f6c0a5d9b12",
                     *       "language": "en",
                     *       "updated_at": "2026-11-21T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["LegalText"];
                    "text/markdown": string;
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "getLegalChild-safety": {
        parameters: {
            query?: {
                /** @description Language tag; else Accept-Language decides */
                lang?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "child-safety",
                     *       "text": "# Child safety standards …",
                     *       "version": "3f6c0a5d9b12",
                     *       "language": "en",
                     *       "updated_at": "2026-11-21T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ChildSafetyText"];
                    "text/markdown": string;
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "city": "Lisbon",
                     *       "bio": "Walks, espresso, old maps.",
                     *       "gender": "female",
                     *       "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *       "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *       "email": "ada@example.org",
                     *       "email_verified": false,
                     *       "phone": "+351912345678",
                     *       "messenger_id": "279058397",
                     *       "role": "user",
                     *       "visible": true,
                     *       "hidden": "nearby",
                     *       "birth_month": "1990-05",
                     *       "show_age": false,
                     *       "consents_missing": [],
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "updated_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "city": "Lisbon",
                 *       "bio": "Walks, espresso, old maps.",
                 *       "gender": "female"
                 *     }
                 */
                "application/json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "city": "Lisbon",
                     *       "bio": "Walks, espresso, old maps.",
                     *       "gender": "female",
                     *       "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *       "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *       "email": "ada@example.org",
                     *       "email_verified": false,
                     *       "phone": "+351912345678",
                     *       "messenger_id": "279058397",
                     *       "role": "user",
                     *       "visible": true,
                     *       "hidden": "nearby",
                     *       "birth_month": "1990-05",
                     *       "show_age": false,
                     *       "consents_missing": [],
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "updated_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `content_refused`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "thirteen green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["Erasure"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `init_data_invalid`, `init_data_expired`, `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `suspended`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `messenger_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeChannels: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "kind": "webpush",
                     *           "label": "Firefox 151 on Linux",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_delivered_at": "2026-11-21T08:34:00.000Z",
                     *           "failing_since": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["GetMeChannelsResponse"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "fcm",
                 *       "token": "dQw4w9WgXcQ:APA91bHun4MxP5egoKMwt2KZFBaFUH"
                 *     }
                 */
                "application/json": components["schemas"]["NewChannel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "webpush",
                     *       "label": "Firefox 151 on Linux",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_delivered_at": "2026-11-21T08:34:00.000Z",
                     *       "failing_since": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "webpush",
                     *       "label": "Firefox 151 on Linux",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_delivered_at": "2026-11-21T08:34:00.000Z",
                     *       "failing_since": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMeChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeChannelsByIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada.lovelace@example.org",
                 *       "password": "thirteen green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["EmailChange"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `suspended`, `consents_required`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 5 in 3600 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `mail_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeEmailVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 1 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `mail_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exported_at": "2026-11-21T08:34:00.000Z",
                     *       "account": {
                     *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *         "name": "Ada",
                     *         "city": "Lisbon",
                     *         "bio": "Walks, espresso, old maps.",
                     *         "gender": "female",
                     *         "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *         "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *         "email": "ada@example.org",
                     *         "email_verified": false,
                     *         "phone": "+351912345678",
                     *         "messenger_id": "279058397",
                     *         "role": "user",
                     *         "visible": true,
                     *         "hidden": "nearby",
                     *         "birth_month": "1990-05",
                     *         "show_age": false,
                     *         "consents_missing": [],
                     *         "created_at": "2026-11-21T08:34:00.000Z",
                     *         "updated_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "messenger_photo_url": "https://t.me/i/userpic/320/ada.jpg",
                     *       "preferences": {
                     *         "drinks": [
                     *           "espresso"
                     *         ],
                     *         "activities": [
                     *           "walking"
                     *         ],
                     *         "purposes": [
                     *           "friendship"
                     *         ],
                     *         "language": "en"
                     *       },
                     *       "location": {
                     *         "latitude": 38.7169,
                     *         "longitude": -9.1399,
                     *         "visible": true,
                     *         "updated_at": "2026-11-21T08:34:00.000Z",
                     *         "recognised_places": 0
                     *       },
                     *       "last_seen_at": "2026-11-21T08:34:00.000Z",
                     *       "identities": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "kind": "terms",
                     *           "provider": "google",
                     *           "subject": "110169484474386276334",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "email_links": [
                     *         {
                     *           "kind": "terms",
                     *           "email": "ada@example.org",
                     *           "expires_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "notifications_waiting": [
                     *         {
                     *           "by": "fcm",
                     *           "about": "message",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "notifications": {
                     *         "preferences": {
                     *           "messages": true,
                     *           "chats": true,
                     *           "reviews": true,
                     *           "digest": "off",
                     *           "preview": "name",
                     *           "quiet": {
                     *             "from": "22:00",
                     *             "to": "08:00",
                     *             "time_zone": "Europe/Berlin"
                     *           }
                     *         },
                     *         "channels": [
                     *           {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "kind": "webpush",
                     *             "label": "Firefox 151 on Linux",
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "last_delivered_at": "2026-11-21T08:34:00.000Z",
                     *             "failing_since": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ],
                     *         "muted_chats": [
                     *           {
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "muted_until": "2026-11-21T08:34:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "passkeys": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "label": "Phone",
                     *           "credential_id": "ZcG3b2Fi1xJ0…",
                     *           "public_key": "pQECAyYgASFYIM…",
                     *           "counter": 0,
                     *           "transports": [
                     *             "internal"
                     *           ],
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "mails_waiting": [
                     *         {
                     *           "about": "verify",
                     *           "to": "ada@example.org",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "bot": {
                     *         "state": "granted",
                     *         "language": "en",
                     *         "changed_at": "2026-11-21T08:34:00.000Z"
                     *       },
                     *       "reviews_written": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "reviews_received": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "blocks": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "reports": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reason": "spam",
                     *           "details": "Asked me for money.",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "action": "suspend",
                     *           "resolved_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "notices": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "action": "suspend",
                     *           "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "ground": "spam",
                     *           "reason": "Insults, after a warning.",
                     *           "until": "2030-01-01T00:00:00.000Z",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "automated": false,
                     *           "appeal": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "status": "open"
                     *           },
                     *           "how_to_appeal": "POST /api/v1/appeals",
                     *           "strikes": 0
                     *         }
                     *       ],
                     *       "appeals": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "notice_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "text": "Coffee at the river?",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "resolved_at": "2026-11-21T08:34:00.000Z",
                     *           "note": "Insults, after a warning."
                     *         }
                     *       ],
                     *       "consents": [
                     *         {
                     *           "kind": "terms",
                     *           "accepted": true,
                     *           "version": "3f6c0a5d9b12",
                     *           "text_hash": "3f6c0a5d9b12e7…",
                     *           "recorded_at": "2026-11-21T08:34:00.000Z",
                     *           "user_agent": "Mozilla/5.0",
                     *           "address": "203.0.113.0/24"
                     *         }
                     *       ],
                     *       "sessions": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_agent": "Mozilla/5.0",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z",
                     *           "ended_at": "2026-11-21T08:34:00.000Z",
                     *           "passkey_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "images": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "width": 1280,
                     *           "height": 960,
                     *           "bytes": 0,
                     *           "hash": "d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22",
                     *           "url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *           "thumb_url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=upload&exp=1795336440&sig=4V0c…&size=320",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "actions": [
                     *         {
                     *           "at": "2026-11-21T08:34:00.000Z",
                     *           "action": "suspend"
                     *         }
                     *       ],
                     *       "chats": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "name": "Ada"
                     *           },
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "messages": [
                     *             {
                     *               "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *               "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *               "sender_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *               "kind": "text",
                     *               "text": "Coffee at the river?",
                     *               "photo": {
                     *                 "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *                 "url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *                 "thumb_url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=upload&exp=1795336440&sig=4V0c…&size=320",
                     *                 "width": 1280,
                     *                 "height": 960,
                     *                 "placeholder": "data:image/webp;base64,UklGRhYAAABXRUJQ…"
                     *               },
                     *               "read": false,
                     *               "read_at": "2026-11-21T08:34:00.000Z",
                     *               "edited": false,
                     *               "edited_at": "2026-11-21T08:34:00.000Z",
                     *               "deleted": false,
                     *               "created_at": "2026-11-21T08:34:00.000Z",
                     *               "client_id": "a1",
                     *               "caution": "Never send money to somebody whom you have not met.",
                     *               "earlier_versions": [
                     *                 {
                     *                   "text": "Coffee at the river?",
                     *                   "until": "2030-01-01T00:00:00.000Z"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 10 in 3600 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeIdentities: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "kind": "password",
                     *           "provider": "google",
                     *           "label": "Google",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["GetMeIdentitiesResponse"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMeIdentitiesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `second_factor_required`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `last_identity` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeIdentitiesMessenger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "init_data": "query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%7D&auth_date=1795249440&hash=c501b71e775f74ce…",
                 *       "password": "twelve green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PostMeIdentitiesMessengerBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "password",
                     *       "provider": "google",
                     *       "label": "Google",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_used_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "password",
                     *       "provider": "google",
                     *       "label": "Google",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_used_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `init_data_invalid`, `init_data_expired`, `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `forbidden`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_taken`, `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `messenger_not_configured`, `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeIdentitiesOidcByProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example google */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ…",
                 *       "nonce": "n-0S6_WzA2Mj",
                 *       "password": "twelve green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PostMeIdentitiesOidcByProviderBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "password",
                     *       "provider": "google",
                     *       "label": "Google",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_used_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "password",
                     *       "provider": "google",
                     *       "label": "Google",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_used_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_token_invalid`, `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `forbidden`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 100 in 300 seconds from one address, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `busy`, `storage_full`, `maintenance` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMeIdentitiesOidcByProviderStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example google */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "twelve green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PostMeIdentitiesOidcByProviderStartBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…"
                     *     }
                     */
                    "application/json": components["schemas"]["PostAuthOidcByProviderStartResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `forbidden`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 100 in 300 seconds from one address, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `provider_not_configured`, `busy`, `storage_full`, `maintenance` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeLocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "latitude": 38.7169,
                     *       "longitude": -9.1399,
                     *       "visible": true,
                     *       "updated_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMeLocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Position"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "latitude": 38.7169,
                     *       "longitude": -9.1399,
                     *       "visible": true,
                     *       "updated_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 6 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeNotices: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "action": "suspend",
                     *           "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "ground": "spam",
                     *           "reason": "Insults, after a warning.",
                     *           "until": "2030-01-01T00:00:00.000Z",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "automated": false,
                     *           "appeal": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "status": "open"
                     *           },
                     *           "how_to_appeal": "POST /api/v1/appeals"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["NoticeList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": true,
                     *       "chats": true,
                     *       "reviews": true,
                     *       "digest": "off",
                     *       "preview": "name",
                     *       "quiet": {
                     *         "from": "22:00",
                     *         "to": "08:00",
                     *         "time_zone": "Europe/Berlin"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMeNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "preview": "none",
                 *       "quiet": {
                 *         "from": "22:00",
                 *         "to": "08:00",
                 *         "time_zone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutMeNotificationsBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": true,
                     *       "chats": true,
                     *       "reviews": true,
                     *       "digest": "off",
                     *       "preview": "name",
                     *       "quiet": {
                     *         "from": "22:00",
                     *         "to": "08:00",
                     *         "time_zone": "Europe/Berlin"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Google",
                 *       "credential": {
                 *         "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *         "rawId": "ZcG3b2Fi1xJ0yT7kq5Vw2A",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4u…",
                 *           "attestationObject": "o2NmbXRkbm9uZWdhdHRTdG10…",
                 *           "transports": [
                 *             "internal"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PostMePasskeysBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "kind": "passkey",
                     *       "provider": null,
                     *       "label": "Phone",
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "last_used_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PostMePasskeysResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `passkey_invalid`, `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_taken`, `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMePasskeysOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "twelve green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PostMePasskeysOptionsBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {
                     *         "challenge": "AAGqVJ1QYAB6…",
                     *         "rp": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada"
                     *         },
                     *         "user": {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "name": "Ada",
                     *           "displayName": "Ada"
                     *         },
                     *         "pubKeyCredParams": [
                     *           {
                     *             "type": "public-key",
                     *             "alg": 0
                     *           }
                     *         ],
                     *         "excludeCredentials": [
                     *           {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "type": "public-key",
                     *             "transports": [
                     *               "internal"
                     *             ]
                     *           }
                     *         ],
                     *         "authenticatorSelection": {
                     *           "residentKey": "required",
                     *           "requireResidentKey": true,
                     *           "userVerification": "required"
                     *         },
                     *         "attestation": "none",
                     *         "timeout": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PostMePasskeysOptionsResponse"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `forbidden`, `second_factor_required`, `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "twelve green bottles",
                 *       "new_password": "thirteen green bottles"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMePrefs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "drinks": [
                     *         "espresso"
                     *       ],
                     *       "activities": [
                     *         "walking"
                     *       ],
                     *       "purposes": [
                     *         "friendship"
                     *       ],
                     *       "language": "en"
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMePrefs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "drinks": [
                 *         "espresso"
                 *       ],
                 *       "activities": [
                 *         "walking"
                 *       ],
                 *       "purposes": [
                 *         "friendship"
                 *       ],
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["PreferencesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "drinks": [
                     *         "espresso"
                     *       ],
                     *       "activities": [
                     *         "walking"
                     *       ],
                     *       "purposes": [
                     *         "friendship"
                     *       ],
                     *       "language": "en"
                     *     }
                     */
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeSessions: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "last_used_at": "2026-11-21T08:34:00.000Z",
                     *           "user_agent": "Mozilla/5.0",
                     *           "current": true
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMeSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMeSessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMeVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "visible": true
                 *     }
                 */
                "application/json": components["schemas"]["Visibility"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "visible": true
                     *     }
                     */
                    "application/json": components["schemas"]["Visibility"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `consents_required`, `suspended`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ImageUpload"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *       "thumb_url": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=upload&exp=1795336440&sig=4V0c…&size=320",
                     *       "width": 1280,
                     *       "height": 960,
                     *       "placeholder": "data:image/webp;base64,UklGRhYAAABXRUJQ…"
                     *     }
                     */
                    "application/json": components["schemas"]["Image"];
                };
            };
            /** @description `malformed_body`, `bad_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed`, `content_refused` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 60 in 3600 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMediaById: {
        parameters: {
            query?: {
                /** @description End, in seconds since 1970 */
                exp?: string;
                /** @description upload, profile, or the id of the message or report that shows it */
                for?: string;
                sig?: string;
                /** @description 320 for the thumbnail */
                size?: string;
            };
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description The part that `Range` asks for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description A URL of the image that is valid for some minutes, if the server keeps images in S3 */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client has it already */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_request` */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMessagesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Coffee at the bridge?"
                 *     }
                 */
                "application/json": components["schemas"]["MessageEdit"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *       "kind": "text",
                     *       "text": "Coffee at the river?",
                     *       "photo": null,
                     *       "read": false,
                     *       "read_at": null,
                     *       "edited": false,
                     *       "edited_at": null,
                     *       "deleted": false,
                     *       "created_at": "2026-11-21T08:34:00.000Z",
                     *       "client_id": "a1",
                     *       "caution": null
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `not_the_owner`, `blocked`, `awaiting_reply`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `message_deleted`, `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `content_refused`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 5000 in 86400 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMessagesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `not_the_owner`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNotificationsKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webpush": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                     *       "fcm": false,
                     *       "apns": false,
                     *       "telegram": "convene_bot"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationKeys"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postNotificationsUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f.p1n8dXb0Q0y5mS3hVtC7…"
                 *     }
                 */
                "application/json": components["schemas"]["PostNotificationsUnsubscribeBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `link_invalid` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 60 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReports: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "review_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reason": "spam",
                     *           "details": "Asked me for money.",
                     *           "status": "open",
                     *           "created_at": "2026-11-21T08:34:00.000Z",
                     *           "action": "suspend",
                     *           "resolved_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *       "reason": "harassment"
                 *     }
                 */
                "application/json": components["schemas"]["NewReport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FiledReport"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "status": "open",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FiledReport"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `self_not_allowed`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 20 in 86400 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postReviews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                 *       "rating": 5,
                 *       "anonymous": true,
                 *       "text": "Good company."
                 *     }
                 */
                "application/json": components["schemas"]["NewReview"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "rating": 5,
                     *       "anonymous": false,
                     *       "text": "Coffee at the river?",
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Review"];
                };
            };
            /** @description `malformed_body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_a_member`, `blocked`, `awaiting_reply`, `suspended`, `consents_required`, `email_not_verified`, `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `review_exists` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `content_refused`, `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 120 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_full`, `maintenance`, `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSearchNearby: {
        parameters: {
            query?: {
                /** @description Repeatable: any of them, as activities=chess */
                activities?: string[];
                /** @description Finds only people who show their age and are at most this old */
                age_max?: number;
                /** @description Finds only people who show their age and are at least this old */
                age_min?: number;
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description Repeatable: any of them, as drinks=tea&drinks=wine */
                drinks?: string[];
                /** @description Repeatable: any of them, as gender=female */
                gender?: components["schemas"]["Gender"][];
                /** @description Repeatable: any of them, as language=en */
                language?: string[];
                lat?: number;
                limit?: number;
                lng?: number;
                /** @description Repeatable: any of them, as purposes=friends */
                purposes?: string[];
                radius?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "user": {
                     *             "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "name": "Ada",
                     *             "city": "Lisbon",
                     *             "bio": "Walks, espresso, old maps.",
                     *             "gender": "female",
                     *             "age": 36,
                     *             "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *             "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *             "drinks": [
                     *               "espresso"
                     *             ],
                     *             "activities": [
                     *               "walking"
                     *             ],
                     *             "purposes": [
                     *               "friendship"
                     *             ],
                     *             "language": "en",
                     *             "rating_avg": 4.67,
                     *             "reviews_count": 3,
                     *             "created_at": "2026-11-21T08:34:00.000Z"
                     *           },
                     *           "latitude": 38.7169,
                     *           "longitude": -9.1399,
                     *           "distance_m": 400,
                     *           "updated_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["NeighbourList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 60 in 60 seconds from one account, or over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSync: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
                since?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "type": "message",
                     *           "seq": 42,
                     *           "at": "2026-11-21T08:34:00.000Z",
                     *           "data": {
                     *             "id": "0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21",
                     *             "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *             "sender_id": "0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f",
                     *             "kind": "text",
                     *             "text": "Coffee at the river?",
                     *             "photo": null,
                     *             "read": false,
                     *             "read_at": null,
                     *             "edited": false,
                     *             "edited_at": null,
                     *             "deleted": false,
                     *             "created_at": "2026-11-21T08:34:00.000Z",
                     *             "client_id": "a1",
                     *             "caution": null
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0",
                     *       "seq": 42,
                     *       "resume": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTags: {
        parameters: {
            query: {
                /** @example drinks */
                kind: components["schemas"]["TagKind"];
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "tag": "tea",
                     *           "count": 3
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TagList"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "name": "Ada",
                     *       "city": "Lisbon",
                     *       "bio": "Walks, espresso, old maps.",
                     *       "gender": "female",
                     *       "age": 36,
                     *       "photo": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…",
                     *       "photo_thumb": "/api/v1/media/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11?for=profile&exp=1795336440&sig=4V0c…&size=320",
                     *       "drinks": [
                     *         "espresso"
                     *       ],
                     *       "activities": [
                     *         "walking"
                     *       ],
                     *       "purposes": [
                     *         "friendship"
                     *       ],
                     *       "language": "en",
                     *       "rating_avg": 4.67,
                     *       "reviews_count": 3,
                     *       "created_at": "2026-11-21T08:34:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description `unauthenticated`, `token_expired` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `suspended`, `consents_required`, `email_not_verified` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 10 seconds from one account */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsersByIdReviews: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "chat_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewer_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "reviewed_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *           "rating": 5,
                     *           "anonymous": false,
                     *           "text": "Coffee at the river?",
                     *           "created_at": "2026-11-21T08:34:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0"
                     *     }
                     */
                    "application/json": components["schemas"]["ReviewList"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `validation_failed` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsersByIdStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11",
                     *       "rating_avg": 4.67,
                     *       "count": 3
                     *     }
                     */
                    "application/json": components["schemas"]["ReviewStats"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: by default over 600 in 60 seconds from one address */
            429: {
                headers: {
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is malformed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.6.0",
                     *       "checks": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format of Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example convene_sockets 12 */
                    "text/plain": string;
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is malformed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.6.0",
                     *       "checks": {
                     *         "storage": "ok",
                     *         "migrations": "ok",
                     *         "running": "ok",
                     *         "room": "ok",
                     *         "media": "ok",
                     *         "redis": "ok",
                     *         "photos": "failed",
                     *         "settings": "half_set"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.6.0",
                     *       "checks": {
                     *         "storage": "ok",
                     *         "migrations": "ok",
                     *         "running": "ok",
                     *         "room": "ok",
                     *         "media": "ok",
                     *         "redis": "ok",
                     *         "photos": "failed",
                     *         "settings": "half_set"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
}
