CREATE TABLE "alert_acknowledgements" (
	"account_id" uuid NOT NULL,
	"log_index" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "alert_acknowledgements_account_id_log_index_pk" PRIMARY KEY("account_id","log_index")
);
--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD COLUMN "digest_id" bigint;--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD COLUMN "is_escalation" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "rules" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "quiet_hours" jsonb;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "digest" jsonb;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "escalation_step" integer;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "notice" text;--> statement-breakpoint
ALTER TABLE "alert_acknowledgements" ADD CONSTRAINT "alert_acknowledgements_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_acknowledgements" ADD CONSTRAINT "alert_acknowledgements_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_deliveries_held" ON "channel_deliveries" USING btree ("next_at") WHERE "channel_deliveries"."state" = 'held';--> statement-breakpoint
CREATE INDEX "channel_deliveries_digest" ON "channel_deliveries" USING btree ("digest_id") WHERE "channel_deliveries"."digest_id" is not null;