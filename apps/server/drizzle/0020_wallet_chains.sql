ALTER TABLE "wallet_proofs" DROP CONSTRAINT "wallet_proofs_address_wallets_address_fk";--> statement-breakpoint
ALTER TABLE "wallet_proofs" ADD COLUMN "chain_id" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "chain_id" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" DROP CONSTRAINT "wallets_pkey";--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_address_chain_id_pk" PRIMARY KEY("address","chain_id");--> statement-breakpoint
CREATE UNIQUE INDEX "wallets_every_chain" ON "wallets" USING btree ("address") WHERE chain_id <= 0;--> statement-breakpoint
-- A proof with a message is a contract's, on the chain that the message names; any other is a key's.
UPDATE "wallet_proofs" SET "chain_id" = coalesce(substring("message" from '\nChain ID: ([0-9]{1,9})\n')::integer, 0);--> statement-breakpoint
-- The oldest proof that a session of the owner still holds says what linked the wallet; without one it stays unknown.
UPDATE "wallets" AS w SET "chain_id" = p."chain_id" FROM (
  SELECT DISTINCT ON (p."address", s."account_id") p."address", s."account_id", p."chain_id"
  FROM "wallet_proofs" AS p JOIN "sessions" AS s ON s."id_hash" = p."session_id_hash"
  ORDER BY p."address", s."account_id", p."proved_at"
) AS p WHERE p."address" = w."address" AND p."account_id" = w."account_id";
