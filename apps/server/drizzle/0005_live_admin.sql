CREATE TABLE "instances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"listening" integer NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "wallet_proofs" ADD COLUMN "message" text;--> statement-breakpoint
ALTER TABLE "wallet_proofs" ADD COLUMN "signature" text;--> statement-breakpoint
ALTER TABLE "wallet_proofs" ADD COLUMN "checked_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "wallet_proofs_checked" ON "wallet_proofs" USING btree ("checked_at") WHERE checked_at is not null;--> statement-breakpoint
CREATE FUNCTION "tell_admins"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('tocsin_wake', 'admin:' || TG_ARGV[0]);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "alerts_tell_admins" AFTER INSERT OR UPDATE ON "alerts" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('alerts');--> statement-breakpoint
CREATE TRIGGER "accounts_tell_admins" AFTER INSERT OR UPDATE OR DELETE ON "accounts" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('users');--> statement-breakpoint
CREATE TRIGGER "sessions_tell_admins" AFTER INSERT OR DELETE ON "sessions" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('users');--> statement-breakpoint
CREATE TRIGGER "subscriptions_tell_admins" AFTER INSERT OR UPDATE ON "subscriptions" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('users');--> statement-breakpoint
CREATE TRIGGER "payments_tell_admins" AFTER INSERT OR UPDATE ON "payments" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('payments');--> statement-breakpoint
CREATE TRIGGER "unmatched_transfers_tell_admins" AFTER INSERT OR UPDATE ON "unmatched_transfers" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('payments');--> statement-breakpoint
CREATE TRIGGER "feed_signals_tell_admins" AFTER INSERT OR UPDATE ON "feed_signals" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('feed');--> statement-breakpoint
CREATE TRIGGER "refused_signals_tell_admins" AFTER INSERT ON "refused_signals" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('feed');--> statement-breakpoint
CREATE TRIGGER "audit_entries_tell_admins" AFTER INSERT ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('audit');--> statement-breakpoint
CREATE TRIGGER "settings_feed_set_tell_admins" AFTER INSERT ON "settings" FOR EACH ROW WHEN (NEW."name" IN ('feed', 'feed.state')) EXECUTE FUNCTION "tell_admins"('feed');--> statement-breakpoint
CREATE TRIGGER "settings_feed_changed_tell_admins" AFTER UPDATE ON "settings" FOR EACH ROW WHEN (NEW."name" IN ('feed', 'feed.state') AND (OLD."value" - 'lastPongAt' - 'pingMs') IS DISTINCT FROM (NEW."value" - 'lastPongAt' - 'pingMs')) EXECUTE FUNCTION "tell_admins"('feed');--> statement-breakpoint
CREATE TRIGGER "settings_chain_set_tell_admins" AFTER INSERT ON "settings" FOR EACH ROW WHEN (NEW."name" = 'chain_id') EXECUTE FUNCTION "tell_admins"('chain');--> statement-breakpoint
CREATE TRIGGER "settings_chain_changed_tell_admins" AFTER UPDATE ON "settings" FOR EACH ROW WHEN (NEW."name" = 'chain_id' AND OLD."value" IS DISTINCT FROM NEW."value") EXECUTE FUNCTION "tell_admins"('chain');--> statement-breakpoint
CREATE TRIGGER "settings_reconciliation_set_tell_admins" AFTER INSERT ON "settings" FOR EACH ROW WHEN (NEW."name" = 'payments.reconciliation') EXECUTE FUNCTION "tell_admins"('payments');--> statement-breakpoint
CREATE TRIGGER "settings_reconciliation_changed_tell_admins" AFTER UPDATE ON "settings" FOR EACH ROW WHEN (NEW."name" = 'payments.reconciliation' AND OLD."value" IS DISTINCT FROM NEW."value") EXECUTE FUNCTION "tell_admins"('payments');--> statement-breakpoint
CREATE TRIGGER "instances_changed_tell_admins" AFTER UPDATE ON "instances" FOR EACH ROW WHEN (OLD."listening" <> NEW."listening") EXECUTE FUNCTION "tell_admins"('instances');--> statement-breakpoint
CREATE TRIGGER "instances_gone_tell_admins" AFTER DELETE ON "instances" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('instances');
