ALTER TABLE "orders" ADD COLUMN "closed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "hint_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "hint_reads" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "hint_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "hint_network" text;--> statement-breakpoint
LOCK TABLE "orders" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
-- Earlier versions let a wallet have several: the newest stays open, as for orders from now on.
UPDATE "orders" AS o SET "closed_at" = now(), "cancelled_at" = CASE WHEN o."expires_at" > now() THEN now() END
WHERE o."path" = 'approve' AND o."paid_at" IS NULL AND o."cancelled_at" IS NULL AND EXISTS (
  SELECT 1 FROM "orders" AS n
  WHERE n."chain_id" = o."chain_id" AND n."payer" = o."payer" AND n."path" = 'approve' AND n."paid_at" IS NULL
    AND n."cancelled_at" IS NULL AND (n."created_at", n."id") > (o."created_at", o."id"));--> statement-breakpoint
CREATE UNIQUE INDEX "orders_approving" ON "orders" USING btree ("chain_id","payer") WHERE path = 'approve' and paid_at is null and cancelled_at is null and closed_at is null;--> statement-breakpoint
CREATE INDEX "orders_hints" ON "orders" USING btree ("hint_network") WHERE tx_state = 'seen' and paid_at is null;