CREATE TABLE "stream_reach" (
	"log_index" bigint NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"took_ms" integer NOT NULL,
	CONSTRAINT "stream_reach_log_index_account_id_pk" PRIMARY KEY("log_index","account_id")
);
--> statement-breakpoint
CREATE TABLE "feed_gaps" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"to_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_reads" ADD COLUMN "verified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "stream_reach" ADD CONSTRAINT "stream_reach_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stream_reach" ADD CONSTRAINT "stream_reach_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stream_reach_at" ON "stream_reach" USING btree ("at");--> statement-breakpoint
CREATE INDEX "stream_reach_account" ON "stream_reach" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "feed_gaps_to" ON "feed_gaps" USING btree ("to_at");--> statement-breakpoint
CREATE INDEX "alert_reads_alert" ON "alert_reads" USING btree ("alert_id");