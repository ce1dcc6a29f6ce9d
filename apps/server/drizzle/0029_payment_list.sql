DROP INDEX "payments_account";--> statement-breakpoint
CREATE INDEX "orders_pending" ON "orders" USING btree ("created_at","id") WHERE paid_at is null and tx_hash is not null and tx_state in ('seen', 'confirming');--> statement-breakpoint
CREATE INDEX "payments_at" ON "payments" USING btree ("block_at","id");--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id","block_at");