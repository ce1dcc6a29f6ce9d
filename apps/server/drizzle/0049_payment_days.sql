CREATE TABLE "payment_days" (
	"day" date NOT NULL,
	"chain_id" integer NOT NULL,
	"plan_id" text NOT NULL,
	"count" integer NOT NULL,
	"sum_wei" numeric(78, 0) NOT NULL
);
--> statement-breakpoint
DROP INDEX "payments_revenue";--> statement-breakpoint
CREATE INDEX "payment_days_day" ON "payment_days" USING btree ("day","chain_id","plan_id");--> statement-breakpoint
CREATE INDEX "payments_revenue" ON "payments" USING btree ("block_at","amount_wei","account_id") WHERE reverted_at is null;--> statement-breakpoint
-- As before, and adds the change to the sums by day.
CREATE OR REPLACE FUNCTION "sum_payments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.account_id IS NOT NULL THEN
      PERFORM sum_payments_of(OLD.account_id, CASE WHEN OLD.reverted_at IS NULL THEN -OLD.amount_wei ELSE 0 END);
    END IF;
    IF OLD.reverted_at IS NULL THEN
      INSERT INTO payment_days VALUES ((OLD.block_at AT TIME ZONE 'UTC')::date, OLD.chain_id, OLD.plan_id, -1, -OLD.amount_wei);
    END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.account_id IS NOT NULL THEN
      PERFORM sum_payments_of(NEW.account_id, CASE WHEN NEW.reverted_at IS NULL THEN NEW.amount_wei ELSE 0 END);
    END IF;
    IF NEW.reverted_at IS NULL THEN
      INSERT INTO payment_days VALUES ((NEW.block_at AT TIME ZONE 'UTC')::date, NEW.chain_id, NEW.plan_id, 1, NEW.amount_wei);
    END IF;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE TRIGGER "payments_sum" AFTER INSERT OR DELETE OR UPDATE OF "account_id", "amount_wei", "block_at", "reverted_at", "chain_id", "plan_id" ON "payments" FOR EACH ROW EXECUTE FUNCTION "sum_payments"();--> statement-breakpoint
INSERT INTO "payment_days"
SELECT ("block_at" AT TIME ZONE 'UTC')::date, "chain_id", "plan_id", count(*), sum("amount_wei") FROM "payments"
WHERE "reverted_at" IS NULL GROUP BY 1, 2, 3;--> statement-breakpoint
-- Wallets that another instance linked before the trigger of 0048 existed.
UPDATE "account_figures" f SET "proved_at" = w."first"
FROM (SELECT "account_id", min("linked_at") AS "first" FROM "wallets" GROUP BY 1) w
WHERE w."account_id" = f."account_id" AND f."proved_at" IS DISTINCT FROM w."first";
