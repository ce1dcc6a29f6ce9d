CREATE TABLE "private_feeds" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_read_at" timestamp (3) with time zone,
	CONSTRAINT "private_feeds_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
DROP INDEX "channel_deliveries_once";--> statement-breakpoint
ALTER TABLE "preferences" ADD COLUMN "push_content" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_cursor" ADD COLUMN "anchored_size" bigint;--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD COLUMN "event" text DEFAULT 'alert' NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "events" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "destinations" SET "events" = '{outcome}';--> statement-breakpoint
ALTER TABLE "private_feeds" ADD CONSTRAINT "private_feeds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channel_deliveries_once" ON "channel_deliveries" USING btree ("destination_id","log_index","event");