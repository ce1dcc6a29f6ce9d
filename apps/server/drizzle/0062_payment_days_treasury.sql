-- Locks the payments first, so that no payment is missing in the sums below.
CREATE OR REPLACE TRIGGER "payments_sum" AFTER INSERT OR DELETE OR UPDATE OF "account_id", "amount_wei", "block_at", "reverted_at", "chain_id", "plan_id", "order_id", "token", "treasury" ON "payments" FOR EACH ROW EXECUTE FUNCTION "sum_payments"();--> statement-breakpoint
ALTER TABLE "payment_days" ADD COLUMN "token" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_days" ADD COLUMN "treasury" text DEFAULT '' NOT NULL;--> statement-breakpoint
-- As before, with token and treasury in the sums by day.
CREATE OR REPLACE FUNCTION "sum_payments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.account_id IS NOT NULL THEN
      PERFORM sum_payments_of(OLD.account_id, CASE WHEN OLD.reverted_at IS NULL THEN -OLD.amount_wei ELSE 0 END);
    END IF;
    IF OLD.reverted_at IS NULL THEN
      INSERT INTO payment_days (day, chain_id, plan_id, count, sum_wei, token, treasury)
      VALUES ((OLD.block_at AT TIME ZONE 'UTC')::date, OLD.chain_id, OLD.plan_id, -1, -OLD.amount_wei, OLD.token,
        coalesce(OLD.treasury, (SELECT o.treasury FROM orders o WHERE o.id = OLD.order_id), ''));
    END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.account_id IS NOT NULL THEN
      PERFORM sum_payments_of(NEW.account_id, CASE WHEN NEW.reverted_at IS NULL THEN NEW.amount_wei ELSE 0 END);
    END IF;
    IF NEW.reverted_at IS NULL THEN
      INSERT INTO payment_days (day, chain_id, plan_id, count, sum_wei, token, treasury)
      VALUES ((NEW.block_at AT TIME ZONE 'UTC')::date, NEW.chain_id, NEW.plan_id, 1, NEW.amount_wei, NEW.token,
        coalesce(NEW.treasury, (SELECT o.treasury FROM orders o WHERE o.id = NEW.order_id), ''));
    END IF;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DELETE FROM "payment_days";--> statement-breakpoint
INSERT INTO "payment_days" ("day", "chain_id", "plan_id", "count", "sum_wei", "token", "treasury")
SELECT (p."block_at" AT TIME ZONE 'UTC')::date, p."chain_id", p."plan_id", count(*), sum(p."amount_wei"), p."token",
  coalesce(p."treasury", o."treasury", '')
FROM "payments" p LEFT JOIN "orders" o ON o."id" = p."order_id"
WHERE p."reverted_at" IS NULL GROUP BY 1, 2, 3, 6, 7;--> statement-breakpoint
DROP INDEX "orders_pending";--> statement-breakpoint
CREATE INDEX "orders_pending" ON "orders" USING btree ("created_at","id") WHERE paid_at is null and tx_hash is not null and tx_state in ('seen', 'confirming', 'reorganised');
