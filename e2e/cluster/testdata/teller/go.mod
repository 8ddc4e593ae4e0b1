module example.test/teller

go 1.25.0
