DROP INDEX "alert_reads_alert";--> statement-breakpoint
DROP INDEX "subscriptions_ends";--> statement-breakpoint
DROP INDEX "wallets_account";--> statement-breakpoint
CREATE INDEX "account_figures_first_paid" ON "account_figures" USING btree ("first_paid_at","account_id");--> statement-breakpoint
CREATE INDEX "accounts_name" ON "accounts" USING btree (lower("name"),"id");--> statement-breakpoint
CREATE INDEX "accounts_email" ON "accounts" USING btree (lower("email"),"id");--> statement-breakpoint
CREATE INDEX "accounts_staff" ON "accounts" USING btree ("created_at","id") WHERE "accounts"."role" <> 'user';--> statement-breakpoint
CREATE INDEX "accounts_suspended" ON "accounts" USING btree ("created_at","id") WHERE "accounts"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_span" ON "subscriptions" USING gist (tstzrange("starts_at", greatest("starts_at", "ends_at"))) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "alert_reads_alert" ON "alert_reads" USING btree ("alert_id","account_id","verified_at");--> statement-breakpoint
CREATE INDEX "subscriptions_ends" ON "subscriptions" USING btree ("ends_at","starts_at","account_id") WHERE cancelled_at is null and revoked_at is null;--> statement-breakpoint
CREATE INDEX "wallets_account" ON "wallets" USING btree ("account_id","linked_at");