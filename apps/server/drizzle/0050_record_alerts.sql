CREATE TABLE "record_alerts" (
	"log_index" bigint PRIMARY KEY NOT NULL,
	"status" text NOT NULL,
	"is_first_of_episode" boolean NOT NULL,
	"outcome_index" bigint,
	"anchored_ms" bigint,
	"problem" text,
	"is_witnessed" boolean DEFAULT false NOT NULL,
	"controls_key" text,
	"control_minutes" integer,
	"controls_came_true" integer
);
--> statement-breakpoint
ALTER TABLE "market_candles" ADD COLUMN "count" integer GENERATED ALWAYS AS (jsonb_array_length(candles)) STORED;--> statement-breakpoint
ALTER TABLE "record_alerts" ADD CONSTRAINT "record_alerts_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_alerts_status" ON "record_alerts" USING btree ("status","log_index");