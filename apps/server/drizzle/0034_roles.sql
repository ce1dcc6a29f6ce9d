-- Until now admins had all rights.
UPDATE "accounts" SET "role" = 'owner' WHERE "role" = 'admin';--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_role" CHECK ("accounts"."role" in ('user', 'owner', 'admin', 'publisher', 'support', 'auditor'));