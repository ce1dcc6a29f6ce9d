CREATE TABLE "daily_counts" (
	"day" date NOT NULL,
	"name" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "daily_counts_day_name_pk" PRIMARY KEY("day","name")
);
--> statement-breakpoint
DROP INDEX "payments_account";--> statement-breakpoint
CREATE INDEX "channel_deliveries_log_index" ON "channel_deliveries" USING btree ("log_index");--> statement-breakpoint
CREATE INDEX "payments_first" ON "payments" USING btree ("account_id","block_at") WHERE reverted_at is null and account_id is not null;--> statement-breakpoint
CREATE INDEX "payments_revenue" ON "payments" USING btree ("block_at","amount_wei","plan_id","chain_id","account_id") WHERE reverted_at is null;--> statement-breakpoint
CREATE INDEX "payments_reverted" ON "payments" USING btree ("block_at","id") WHERE reverted_at is not null;--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id");