CREATE TABLE "alert_outcomes" (
	"log_index" bigint PRIMARY KEY NOT NULL,
	"target_index" bigint NOT NULL,
	"verdict" text NOT NULL,
	"measured" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"message_hash" text NOT NULL,
	"message" text
);
--> statement-breakpoint
CREATE TABLE "alert_predictions" (
	"log_index" bigint PRIMARY KEY NOT NULL,
	"forecast" jsonb NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "market_candles" (
	"venue" text NOT NULL,
	"market" text NOT NULL,
	"day" date NOT NULL,
	"candles" jsonb NOT NULL,
	CONSTRAINT "market_candles_venue_market_day_pk" PRIMARY KEY("venue","market","day")
);
--> statement-breakpoint
ALTER TABLE "alert_outcomes" ADD CONSTRAINT "alert_outcomes_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_outcomes" ADD CONSTRAINT "alert_outcomes_target_index_log_entries_index_fk" FOREIGN KEY ("target_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_predictions" ADD CONSTRAINT "alert_predictions_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_outcomes_target" ON "alert_outcomes" USING btree ("target_index","log_index");--> statement-breakpoint
CREATE INDEX "alert_outcomes_message" ON "alert_outcomes" USING btree ("message_hash");--> statement-breakpoint
CREATE INDEX "alert_predictions_starts" ON "alert_predictions" USING btree ("starts_at");--> statement-breakpoint
CREATE INDEX "alerts_signal_hash" ON "alerts" USING btree ("signal_hash") WHERE "alerts"."signal_hash" is not null;--> statement-breakpoint
CREATE TRIGGER "alert_outcomes_tell_admins" AFTER INSERT ON "alert_outcomes" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('alerts');
