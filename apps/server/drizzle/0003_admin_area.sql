CREATE TABLE "audit_entries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject" text,
	"reason" text,
	"detail" jsonb NOT NULL,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feed_signals" (
	"signal_id" text PRIMARY KEY NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"is_late" boolean NOT NULL,
	"merged_into" text,
	"repeats" integer DEFAULT 0 NOT NULL,
	"last_repeat_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspension_reason" text;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "resolution_reason" text;--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "audit_entries" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "feed_signals_merged" ON "feed_signals" USING btree ("received_at") WHERE "feed_signals"."merged_into" is not null;--> statement-breakpoint
CREATE INDEX "accounts_created" ON "accounts" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_feed" ON "alerts" USING btree ("asset","anomaly_type","created_at") WHERE "alerts"."origin" = 'feed';--> statement-breakpoint
CREATE INDEX "alerts_priority" ON "alerts" USING btree ("priority","log_index");--> statement-breakpoint
CREATE INDEX "alerts_words" ON "alerts" USING gin (to_tsvector('simple', regexp_replace("asset" || ' ' || "anomaly_type" || ' ' || "regime" || ' ' || "summary", '[^[:alnum:]]+', ' ', 'g')));--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "unmatched_transfers_block" ON "unmatched_transfers" USING btree ("block_at","id");--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'Audit entries are never changed or deleted';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
