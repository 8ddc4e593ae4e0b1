# Proves by a digest that it has its secrets, and stays until it is told to end.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);

my $proof = "$ENV{CHAIN_PROOFS}/$$";
open my $file, '>', "$proof.new" or die "$proof: $!";
print $file sha256_hex(($ENV{DB_PASSWORD} // '') . "\n" . ($ENV{API_KEY} // ''));
close $file;
rename "$proof.new", $proof or die "$proof: $!";
select undef, undef, undef, 0.05 until -e $ENV{CHAIN_END};
exit($ENV{CHAIN_EXIT} // 0);
