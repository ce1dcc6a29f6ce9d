ALTER TABLE "payments" ADD COLUMN "treasury" text;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "treasury" text;--> statement-breakpoint
-- Earlier versions kept a decision to ignore a transfer when the transfer was credited later.
UPDATE "unmatched_transfers" AS u SET "resolution" = NULL, "resolved_by" = NULL, "resolution_reason" = NULL
WHERE u."resolution" = 'ignore' AND EXISTS (
  SELECT FROM "payments" AS p
  WHERE p."chain_id" = u."chain_id" AND p."tx_hash" = u."tx_hash" AND p."log_index" = u."log_index");
