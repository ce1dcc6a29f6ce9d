ALTER TABLE "collections" ADD COLUMN "signed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "collections" ADD COLUMN "earlier_hashes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "resolved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "resolution_reason" text;--> statement-breakpoint
CREATE INDEX "orders_flags" ON "orders" USING gin ("flags");--> statement-breakpoint
CREATE INDEX "subscriptions_created" ON "subscriptions" USING btree ("created_at") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "subscriptions_ends" ON "subscriptions" USING btree ("ends_at") WHERE cancelled_at is null and revoked_at is null;--> statement-breakpoint
CREATE TRIGGER "orders_tell_admins" AFTER UPDATE OF "resolved_at" ON "orders" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('payments');
