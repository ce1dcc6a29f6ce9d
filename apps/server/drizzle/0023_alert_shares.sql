CREATE TABLE "alert_shares" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"log_index" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_shares" ADD CONSTRAINT "alert_shares_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_shares" ADD CONSTRAINT "alert_shares_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_shares_account" ON "alert_shares" USING btree ("account_id","created_at");