CREATE TABLE "account_figures" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone,
	"paid_wei" numeric(78, 0) DEFAULT 0 NOT NULL,
	"first_paid_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "account_figures" ADD CONSTRAINT "account_figures_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_figures_seen" ON "account_figures" USING btree ("seen_at" DESC NULLS LAST,"account_id");--> statement-breakpoint
CREATE INDEX "account_figures_paid" ON "account_figures" USING btree ("paid_wei" DESC NULLS LAST,"account_id");--> statement-breakpoint
INSERT INTO "account_figures" ("account_id", "seen_at", "paid_wei", "first_paid_at")
SELECT a."id", greatest(s."at", v."at"), coalesce(p."sum", 0), p."first"
FROM "accounts" a
LEFT JOIN (SELECT "account_id", max("last_seen_at") AS "at" FROM "sessions" GROUP BY 1) s ON s."account_id" = a."id"
LEFT JOIN (SELECT "account_id", max("at") AS "at" FROM "activities" WHERE "kind" IN ('signed_in', 'signed_out') GROUP BY 1) v ON v."account_id" = a."id"
LEFT JOIN (SELECT "account_id", sum("amount_wei") AS "sum", min("block_at") AS "first" FROM "payments" WHERE "reverted_at" IS NULL GROUP BY 1) p ON p."account_id" = a."id";--> statement-breakpoint
CREATE FUNCTION "add_account_figures"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_figures (account_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_figures" AFTER INSERT ON "accounts" FOR EACH ROW EXECUTE FUNCTION "add_account_figures"();--> statement-breakpoint
CREATE FUNCTION "note_session_seen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_figures SET seen_at = NEW.last_seen_at
  WHERE account_id = NEW.account_id AND (seen_at IS NULL OR seen_at < NEW.last_seen_at);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "sessions_seen" AFTER INSERT OR UPDATE OF "last_seen_at" ON "sessions" FOR EACH ROW EXECUTE FUNCTION "note_session_seen"();--> statement-breakpoint
CREATE FUNCTION "note_activity_seen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_figures SET seen_at = NEW.at
  WHERE account_id = NEW.account_id AND (seen_at IS NULL OR seen_at < NEW.at);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "activities_seen" AFTER INSERT ON "activities" FOR EACH ROW WHEN (NEW.kind IN ('signed_in', 'signed_out')) EXECUTE FUNCTION "note_activity_seen"();--> statement-breakpoint
-- The first update takes the lock of the row. The next statement then sees what other transactions
-- have committed before it.
CREATE FUNCTION "sum_payments_of"(payer_id uuid, change numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_figures SET paid_wei = paid_wei + change WHERE account_id = payer_id;
  UPDATE account_figures SET first_paid_at =
    (SELECT min(block_at) FROM payments WHERE account_id = payer_id AND reverted_at IS NULL)
  WHERE account_id = payer_id;
END $$;--> statement-breakpoint
CREATE FUNCTION "sum_payments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.account_id IS NOT NULL THEN
    PERFORM sum_payments_of(OLD.account_id, CASE WHEN OLD.reverted_at IS NULL THEN -OLD.amount_wei ELSE 0 END);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.account_id IS NOT NULL THEN
    PERFORM sum_payments_of(NEW.account_id, CASE WHEN NEW.reverted_at IS NULL THEN NEW.amount_wei ELSE 0 END);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "payments_sum" AFTER INSERT OR DELETE OR UPDATE OF "account_id", "amount_wei", "block_at", "reverted_at" ON "payments" FOR EACH ROW EXECUTE FUNCTION "sum_payments"();
