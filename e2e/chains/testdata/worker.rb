# Proves by a digest that it has its secrets, and stays until it is told to end.
require "digest"

def prove
  text = "#{ENV["DB_PASSWORD"]}\n#{ENV["API_KEY"]}"
  proof = File.join(ENV["CHAIN_PROOFS"], Process.pid.to_s)
  File.write("#{proof}.new", Digest::SHA256.hexdigest(text))
  File.rename("#{proof}.new", proof)
end

def stay
  sleep 0.05 until File.exist?(ENV["CHAIN_END"])
end

if $PROGRAM_NAME == __FILE__
  prove
  stay
  exit Integer(ENV.fetch("CHAIN_EXIT", "0"))
end
