"""The mean vectors that centring subtracts, and how they are made (`build`)."""
