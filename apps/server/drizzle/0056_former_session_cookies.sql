ALTER TABLE "sessions" ADD COLUMN "former_hashes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_former" ON "sessions" USING gin ("former_hashes");