ALTER TABLE "wallet_proofs" ADD COLUMN "signed_in" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A later proof of the wallet has replaced the message of the sign-in, but not the time of the
-- first proof, and no proof of a session is older than that of its sign-in. Sessions from before
-- the column "method" are found by the message.
UPDATE "wallet_proofs" AS p SET "signed_in" = true FROM "sessions" AS s
WHERE s."id_hash" = p."session_id_hash" AND (
  split_part(p."message", E'\n', 4) = 'Sign in to Tocsin with this wallet. This costs nothing.'
  OR s."method" = 'wallet' AND p."proved_at" =
    (SELECT min("proved_at") FROM "wallet_proofs" WHERE "session_id_hash" = s."id_hash"));